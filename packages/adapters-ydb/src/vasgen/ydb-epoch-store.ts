import { err, ok } from 'neverthrow';
import { emptySchema, type EpochStore } from '@doska/core/vasgen';
import type { YdbClient } from '../driver/client.ts';
import { query, rows } from '../driver/query.ts';
import * as tables from '../schema/vasgen-tables.ts';
import { STATE } from './codes.ts';
import { schemaOf, schemaText } from './schema-text.ts';

/** More epochs than a client ever has at once. */
const EPOCHS_READ = query({
  name: 'vasgen/epochs-read',
  parameters: { client: 'Utf8' },
  results: [
    { shards: 'Uint32', version: 'Uint64' },
    { epoch: 'Int64', state: 'Uint32' },
  ],
  text: `SELECT shards, version FROM vasgen_client WHERE client = $client;
SELECT epoch, state FROM vasgen_epoch WHERE client = $client ORDER BY client, epoch LIMIT 1000;`,
});
const SCHEMAS_READ = query({
  name: 'vasgen/schemas-read',
  parameters: { client: 'Utf8' },
  results: [{ epoch: 'Int64', number: 'Uint64', body: 'Utf8' }],
  text: 'SELECT epoch, number, body FROM vasgen_schema WHERE client = $client ORDER BY client, epoch LIMIT 1000;',
});
/** None if the epoch is not living. */
export const SCHEMA_READ = query({
  name: 'vasgen/schema-read',
  parameters: { client: 'Utf8', epoch: 'Int64' },
  results: [{ number: 'Uint64' }],
  text: 'SELECT number FROM vasgen_schema WHERE client = $client AND epoch = $epoch;',
});
const SCHEMA_WRITE = query({
  name: 'vasgen/schema-write',
  parameters: { client: 'Utf8', epoch: 'Int64', number: 'Uint64', body: 'Utf8' },
  results: [],
  text: 'UPSERT INTO vasgen_schema (client, epoch, number, body) VALUES ($client, $epoch, $number, $body);',
});
const EPOCHS_WRITE = query({
  name: 'vasgen/epochs-write',
  parameters: {
    clients: rows(tables.vasgenClients.columns),
    epochs: rows(tables.epochs.columns),
    schemas: rows(tables.schemas.columns),
    gone: rows({ client: 'Utf8', epoch: 'Int64' }),
  },
  results: [],
  text: `UPSERT INTO vasgen_client SELECT client, shards, version FROM AS_TABLE($clients);
UPSERT INTO vasgen_epoch SELECT client, epoch, state FROM AS_TABLE($epochs);
UPSERT INTO vasgen_schema SELECT client, epoch, number, body FROM AS_TABLE($schemas);
DELETE FROM vasgen_epoch ON SELECT client, epoch FROM AS_TABLE($gone);
DELETE FROM vasgen_schema ON SELECT client, epoch FROM AS_TABLE($gone);`,
});
export const epochQueries = [EPOCHS_READ, SCHEMAS_READ, SCHEMA_READ, SCHEMA_WRITE, EPOCHS_WRITE];

const emptyRow = (client: string, epoch: number) => ({
  client,
  epoch,
  number: emptySchema.number,
  body: schemaText(emptySchema),
});

export const ydbEpochStore = (client: YdbClient): EpochStore => ({
  ensureClient: (of, configured) =>
    client
      .write(
        'vasgen.ensureClient',
        async (tx) => {
          const [[known]] = await tx.run(EPOCHS_READ, { client: of });
          if (known) return known.shards;
          await tx.commit(EPOCHS_WRITE, {
            clients: [{ client: of, shards: configured, version: 1 }],
            epochs: [{ client: of, epoch: 1, state: STATE.code.serving }],
            schemas: [emptyRow(of, 1)],
            gone: [],
          });
          return configured;
        },
        { idempotent: true },
      )
      .andThen((stored) =>
        stored === configured
          ? ok(undefined)
          : err({ kind: 'ShardsMismatch' as const, client: of, stored, configured }),
      ),
  load: (of) =>
    client
      .read('vasgen.epochs', async (tx) => {
        const [[known], epochs] = await tx.run(EPOCHS_READ, { client: of });
        const [schemas] = await tx.commit(SCHEMAS_READ, { client: of });
        return { known, epochs, schemas: new Map(schemas.map((row) => [row.epoch, row])) };
      })
      .andThen(({ known, epochs, schemas }) => {
        if (!known) return err({ kind: 'UnknownClient' as const, client: of });
        return ok({
          version: known.version,
          epochs: epochs.map(({ epoch, state }) => {
            const { number, body } = schemas.get(epoch) ?? emptyRow(of, epoch);
            return { epoch, state: STATE.name(state), schema: schemaOf(number, body) };
          }),
        });
      }),
  change: (of, fromVersion, to) =>
    client
      .write('vasgen.changeEpochs', async (tx) => {
        const [[known], before] = await tx.run(EPOCHS_READ, { client: of });
        if (!known) return err({ kind: 'UnknownClient' as const, client: of });
        if (known.version !== fromVersion) return err({ kind: 'EpochsMoved' as const, client: of });
        const old = new Set(before.map(({ epoch }) => epoch));
        const stays = new Set(to.map(({ epoch }) => epoch));
        await tx.commit(EPOCHS_WRITE, {
          clients: [{ client: of, shards: known.shards, version: fromVersion + 1 }],
          epochs: to.map(({ epoch, state }) => ({ client: of, epoch, state: STATE.code[state] })),
          schemas: to.filter(({ epoch }) => !old.has(epoch)).map(({ epoch }) => emptyRow(of, epoch)),
          gone: [...old].filter((epoch) => !stays.has(epoch)).map((epoch) => ({ client: of, epoch })),
        });
        return ok(undefined);
      })
      .andThen((outcome) => outcome),
  grow: (of, epoch, to) =>
    client
      .write('vasgen.growSchema', async (tx) => {
        const [[schema]] = await tx.run(SCHEMA_READ, { client: of, epoch });
        if (schema?.number !== to.number - 1) return err({ kind: 'SchemaNotNext' as const, epoch });
        await tx.commit(SCHEMA_WRITE, { client: of, epoch, number: to.number, body: schemaText(to) });
        return ok(undefined);
      })
      .andThen((outcome) => outcome),
});
