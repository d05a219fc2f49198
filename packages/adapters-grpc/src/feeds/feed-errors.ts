import type { ErrorTable } from '@doska/adapters-rpc';
import type {
  FeedNotFound,
  LoadNotFound,
  NoLink,
  NotHeld,
  StaleFeedVersion,
  UploadError,
} from '@doska/core/feeds';
import type { InvalidInput, Unavailable } from '@doska/core/kernel';
import type { NotYours } from '../gost/acting.ts';

type Spoken =
  | FeedNotFound
  | LoadNotFound
  | NoLink
  | NotHeld
  | StaleFeedVersion
  | UploadError
  | NotYours
  | InvalidInput
  | Unavailable;
type OwnKind = Exclude<Spoken['kind'], 'InvalidInput' | 'Unavailable'>;

export const feedErrors = {
  FeedNotFound: 'NOT_FOUND',
  LoadNotFound: 'NOT_FOUND',
  NoLink: 'FAILED_PRECONDITION',
  NotHeld: 'FAILED_PRECONDITION',
  LinkActive: 'FAILED_PRECONDITION',
  StaleFeedVersion: 'ABORTED',
  EmptyFile: 'INVALID_ARGUMENT',
  BlobTooLarge: 'INVALID_ARGUMENT',
  BlobSourceFailed: 'INVALID_ARGUMENT',
  NotYours: 'PERMISSION_DENIED',
} as const satisfies Record<OwnKind, ErrorTable[string]>;

const wordsOf = (error: Spoken): string => {
  switch (error.kind) {
    case 'FeedNotFound':
      return 'namespace: there is no such feed';
    case 'LoadNotFound':
      return 'task: there is no such load';
    case 'NoLink':
      return 'namespace: the feed has no link to fetch';
    case 'NotHeld':
      return `task: only a held load can be approved or rejected; this one is ${error.place}`;
    case 'LinkActive':
      return 'replace: the feed has a link; say replace to switch it to uploads';
    case 'StaleFeedVersion':
      return `expected_version: ${error.expected} was expected, but the feed is at ${error.actual}`;
    case 'EmptyFile':
      return 'content: the file is empty';
    case 'BlobTooLarge':
      return `content: the file has more than ${error.bytesMax} bytes`;
    case 'BlobSourceFailed':
      return 'content: the upload was cut off';
    case 'NotYours':
      return error.message;
    case 'InvalidInput':
      return error.violations.map(({ path, message }) => `${path}: ${message}`).join('; ');
    case 'Unavailable':
      return 'unavailable, try again';
  }
};
export const feedInWords = <E extends Spoken>(error: E): E & { readonly message: string } => ({
  ...error,
  message: wordsOf(error),
});
