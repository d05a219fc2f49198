import type { Brand } from '../../kernel/index.ts';
import type { Names } from './names.ts';
import type { FedFilter } from './standard-filters.ts';

export type AttributeId = Brand<string, 'AttributeId'>;
export type ValueId = Brand<string, 'ValueId'>;

/** Retired, never deleted: an id stays readable. */
export type DictionaryValue = { readonly id: ValueId; readonly names: Names; readonly retired: boolean };
export type NumberRange = { readonly min: number | undefined; readonly max: number | undefined };

export type AttributeType =
  | { readonly kind: 'dictionary'; readonly values: readonly DictionaryValue[] }
  | { readonly kind: 'number'; readonly range: NumberRange; readonly unit: string | undefined }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'string'; readonly lengthMax: number };

/** A property of offers, at its widest; categories use it and may narrow it. */
export type Attribute = {
  readonly id: AttributeId;
  readonly names: Names;
  readonly type: AttributeType;
  /** An offer may have several values. */
  readonly multiple: boolean;
  /** Search may offer it as a filter. */
  readonly filterable: boolean;
  readonly retired: boolean;
  /** The standard filter that shows its values. Such an attribute gives no filter of its own. */
  readonly feeds?: FedFilter;
};

/** How a category uses an attribute. What is absent stays as it is inherited; what is given may only narrow. */
export type AttributeUse = {
  readonly attribute: AttributeId;
  readonly required?: boolean;
  readonly multiple?: boolean;
  readonly filterable?: boolean;
  readonly values?: readonly ValueId[];
  readonly min?: number;
  readonly max?: number;
};
