import type { InvalidInput, Unavailable, Violation } from '../../kernel/index.ts';
import type { DataFormat } from '../address/data-format.ts';
import type { PartFailed } from '../content/prepare-leaf.ts';
import type { Version } from '../version/version.ts';

/** There is no section of this name. */
export type UnknownSection = { readonly kind: 'UnknownSection'; readonly name: string };
/** The group has nothing in `Recursive` and is no snippet itself. */
export type NothingToDo = { readonly kind: 'NothingToDo'; readonly name: string };
export type SnippetNotFound = {
  readonly kind: 'SnippetNotFound';
  readonly name: string;
  readonly key: string;
};
/** The content type is missing, or not one that all sections of the group accept. */
export type UnsupportedFormat = {
  readonly kind: 'UnsupportedFormat';
  readonly accepted: readonly DataFormat[];
};
export type TooLarge = { readonly kind: 'TooLarge'; readonly what: string; readonly bytesMax: number };
/** What one section says about a write. Without violations it had accepted it. */
export type LeafVerdict = { readonly name: string; readonly violations: readonly Violation[] };
/** At least one section refuses the content; nothing was stored. */
export type Refused = { readonly kind: 'Refused'; readonly verdicts: readonly LeafVerdict[] };
export type ConditionFailed = { readonly kind: 'ConditionFailed'; readonly version: Version | undefined };
/** The store does not have this version yet, or no longer. */
export type VersionNotReached = { readonly kind: 'VersionNotReached'; readonly minVersion: Version };

export type AddressError = UnknownSection | NothingToDo | InvalidInput;
export type PutError =
  AddressError | UnsupportedFormat | TooLarge | Refused | ConditionFailed | PartFailed | Unavailable;
export type DeleteError = AddressError | ConditionFailed | Unavailable;
export type GetError = AddressError | SnippetNotFound | VersionNotReached | Unavailable;
export type MultiGetError = UnknownSection | InvalidInput | VersionNotReached | TooLarge | Unavailable;
