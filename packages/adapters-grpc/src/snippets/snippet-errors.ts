import type { ErrorTable } from '@doska/adapters-rpc';
import type { DeleteError, MultiGetError, PutError } from '@doska/core/snippets';

export type NotYours = { readonly kind: 'NotYours'; readonly name: string };
export type SpokenError = PutError | DeleteError | MultiGetError | NotYours;
type OwnKind = Exclude<SpokenError['kind'], 'InvalidInput' | 'Unavailable'>;

/** `PartFailed` is missing: a bug of a part is an internal error with the id of the request. */
export const snippetErrors = {
  UnknownSection: 'NOT_FOUND',
  NothingToDo: 'FAILED_PRECONDITION',
  UnsupportedFormat: 'INVALID_ARGUMENT',
  TooLarge: 'RESOURCE_EXHAUSTED',
  Refused: 'INVALID_ARGUMENT',
  ConditionFailed: 'ABORTED',
  VersionNotReached: 'FAILED_PRECONDITION',
  NotYours: 'PERMISSION_DENIED',
} as const satisfies Record<Exclude<OwnKind, 'PartFailed'>, ErrorTable[string]>;

/** What a caller is told. */
export const wordsOf = (error: SpokenError): string => {
  switch (error.kind) {
    case 'UnknownSection':
      return `name: there is no snippet "${error.name}"`;
    case 'NothingToDo':
      return `name: the group "${error.name}" has no sections to work on`;
    case 'UnsupportedFormat':
      return `format: must be one of ${error.accepted.join(', ')}`;
    case 'TooLarge':
      return `${error.what} has more than ${error.bytesMax} bytes`;
    case 'Refused':
      return error.verdicts
        .flatMap(({ name, violations }) =>
          violations.map(({ path, message }) => `${name}: ${path === '' ? '' : `${path}: `}${message}`),
        )
        .join('; ');
    case 'ConditionFailed':
      return `condition: ${error.version ? 'the snippet has another version' : 'there is no such snippet'}`;
    case 'VersionNotReached':
      return 'min_version: no snippet has this version yet';
    case 'NotYours':
      return `name: the token does not cover "${error.name}"`;
    case 'InvalidInput':
      return error.violations.map(({ path, message }) => `${path}: ${message}`).join('; ');
    case 'PartFailed':
      return 'a validator or convertor failed';
    case 'Unavailable':
      return 'unavailable, try again';
  }
};
export const inWords = <E extends SpokenError>(error: E): E & { readonly message: string } => ({
  ...error,
  message: wordsOf(error),
});
