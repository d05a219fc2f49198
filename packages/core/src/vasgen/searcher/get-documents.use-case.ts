import { err, ok, type ResultAsync } from 'neverthrow';
import { invalidInput, type Codec, type InvalidInput, type Unavailable } from '../../kernel/index.ts';
import type { ClientName, RawDocument } from '../document/raw-document.ts';
import { epochOf, livingEpochs, servingEpoch } from '../epochs/epoch.ts';
import type { UnknownClient } from '../epochs/epoch-store.port.ts';
import type { KnownEpochs } from '../epochs/known-epochs.use-case.ts';
import type { UnknownEpoch } from '../epochs/manage-epochs.use-case.ts';
import { REGISTRY_ROWS_MAX, type DocumentRegistry } from '../registry/document-registry.port.ts';

export type GetDocumentsNeeds = {
  readonly registry: Pick<DocumentRegistry, 'find'>;
  readonly epochs: Pick<KnownEpochs, 'get'>;
  readonly documents: Codec<RawDocument>;
};
export type GetDocumentsError = UnknownClient | UnknownEpoch | InvalidInput | Unavailable;
/** The living documents among these, in any order. Those that can't be read are left out. `epoch` undefined: the serving one. */
export type GetDocuments = (
  client: ClientName,
  epoch: number | undefined,
  pks: readonly string[],
) => ResultAsync<readonly RawDocument[], GetDocumentsError>;

export const makeGetDocuments =
  ({ registry, epochs, documents }: GetDocumentsNeeds): GetDocuments =>
  (client, epoch, pks) =>
    epochs
      .get(client)
      .andThen((known) => {
        const found = epoch === undefined ? servingEpoch(known) : epochOf(known, epoch);
        if (pks.length > REGISTRY_ROWS_MAX)
          return err(
            invalidInput({ path: 'pks', code: 'TooMany', message: `at most ${REGISTRY_ROWS_MAX} keys` }),
          );
        return found
          ? ok(found.epoch)
          : err({ kind: 'UnknownEpoch' as const, epoch: epoch ?? 0, living: livingEpochs(known) });
      })
      .andThen((asked) => registry.find(client, asked, pks))
      .map((rows) =>
        rows.flatMap(({ body }) => {
          const document = body && documents.decode(body);
          return document?.isOk() ? [document.value] : [];
        }),
      );
