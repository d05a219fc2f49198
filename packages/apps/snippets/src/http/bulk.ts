import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HotKit } from '@doska/adapters-http';
import type { Clock, Logger } from '@doska/core/kernel';
import { formatVersion, type BulkVerdict, type LoadedConfig, type Snippets } from '@doska/core/snippets';
import { problemFields, type SnippetError } from './problems.ts';

export type BulkNeeds = {
  readonly snippets: Pick<Snippets, 'useCases'>;
  readonly bulkBytesMax: number;
  readonly bulkMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
};
export const BULK_TYPE = 'application/x-ndjson';

const lineOf = ({ line, key, outcome }: BulkVerdict<SnippetError>): string => {
  const named = key === undefined ? { line } : { line, key };
  const told = outcome.match(
    ({ version, leaves }) => ({
      status: 200,
      version: formatVersion(version),
      snippets: Object.fromEntries(leaves.map(({ name, outcome: what }) => [name, what])),
    }),
    problemFields,
  );
  return `${JSON.stringify({ ...named, ...told })}\n`;
};
const failed = (status: number, kind: string, requestId: string, detail?: string): string =>
  `${JSON.stringify({ error: { status, kind, detail, requestId } })}\n`;

/**
 * Answers each line of the body with a line. What ends the upload early is the last line, `{"error":{…}}`. Resolves with the
 * status to count.
 */
export const serveBulk = async (
  { snippets, bulkBytesMax, bulkMs, clock, logger }: BulkNeeds,
  request: IncomingMessage,
  response: ServerResponse,
  kit: HotKit,
  { at, name, requestId }: { readonly at: LoadedConfig; readonly name: string; readonly requestId: string },
): Promise<number> => {
  const body = kit.body(request, bulkBytesMax);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let isLate = false;
  const stopTimer = clock.after(bulkMs, () => {
    isLate = true;
    body.readable.destroy(new Error('the time is up'));
  });
  response.flushHeaders();
  let status = 200;
  const end = (code: number, kind: string, detail?: string): void => {
    status = code;
    response.write(failed(code, kind, requestId, detail));
  };
  try {
    for await (const verdict of snippets.useCases.bulk({ at, name, pieces: body.readable })) {
      const { outcome } = verdict;
      if (outcome.isErr() && outcome.error.kind === 'PartFailed')
        logger.error('a part of a snippet section failed', {
          requestId,
          line: verdict.line,
          error: outcome.error,
        });
      if (gone.signal.aborted || (await kit.send(response, lineOf(verdict), gone.signal)) === 'idle') {
        response.destroy();
        return 499;
      }
    }
  } catch (error) {
    if (gone.signal.aborted) return 499;
    const refused = body.refused?.problem;
    if (isLate) end(504, 'DeadlineExceeded', `the upload took longer than ${bulkMs} ms`);
    else if (refused) end(refused.status, refused.kind, refused.detail);
    else {
      logger.error('a bulk upload of snippets failed', { requestId, name, error });
      end(500, 'Internal');
    }
  } finally {
    stopTimer();
  }
  response.end();
  return status;
};
