import { err, ok, ResultAsync, type Result } from 'neverthrow';
import {
  deadTopicOf,
  type Clock,
  type Delivered,
  type LogRecord,
  type MessageLog,
  type PublishError,
  type ReadError,
  type Unavailable,
  type UnknownTopic,
} from '../../kernel/index.ts';
import { RETRY_TOPIC } from '../config/check-names.ts';
import type { TopicCodecs } from './settle-records.use-case.ts';
import { recordOfLetter } from './topic-record.ts';

/** `skipped`: letters of another section, and letters that this service did not write. */
export type Redriven = { readonly sent: number; readonly skipped: number };
export type RedriveError = UnknownTopic | ReadError | PublishError | Unavailable;
export type RedriveQuery = {
  /** The input topic, without `.dead`. */
  readonly topic: string;
  /** Only the letters of this section. */
  readonly section?: string;
};
export type Redrive = (query: RedriveQuery) => ResultAsync<Redriven, RedriveError>;
const GROUP = 'snippets-redrive';
const STEP_RECORDS = 100;

/**
 * Sends dead letters through the retry flow again, with their old versions. So what is newer by now stays, and sending a
 * letter twice does no harm. The letters stay where they are.
 */
export const makeRedrive = (needs: {
  readonly log: Pick<MessageLog, 'lag' | 'read' | 'publish'>;
  readonly codecs: TopicCodecs;
  readonly clock: Clock;
}): Redrive => {
  const { log, codecs, clock } = needs;
  const retryOf = ({ value }: Delivered, section: string | undefined): LogRecord | undefined => {
    const letter = codecs.letters.decode(value);
    const record = letter.isOk() ? recordOfLetter(letter.value) : undefined;
    if (!record?.isOk() || (section !== undefined && record.value.section !== section)) return undefined;
    const { reason } = letter._unsafeUnwrap();
    const retry = { ...record.value, attempt: 0, notBeforeMs: clock.nowMs(), reason };
    return {
      topic: RETRY_TOPIC,
      key: `${record.value.section}/${record.value.key}`,
      value: codecs.retries.encode(retry),
    };
  };
  const partition = async (
    dead: string,
    index: number,
    head: number,
    section: string | undefined,
  ): Promise<Result<Redriven, RedriveError>> => {
    const opened = await log.read(dead, index, 'earliest');
    if (opened.isErr()) return err(opened.error);
    const reader = opened.value;
    let sent = 0;
    let skipped = 0;
    try {
      while (reader.position().offset < head) {
        const letters = await reader.next({ recordsMax: STEP_RECORDS });
        if (letters.isErr()) return err(letters.error);
        if (letters.value.length === 0) break;
        // Letters that come in the meantime may be of this redrive.
        const old = letters.value.filter(({ position }) => position.offset < head);
        const retries = old.map((one) => retryOf(one, section)).filter((one) => one !== undefined);
        const published = await log.publish(retries);
        if (published.isErr()) return err(published.error);
        sent += retries.length;
        skipped += old.length - retries.length;
      }
      return ok({ sent, skipped });
    } finally {
      await reader.close();
    }
  };
  const redrive = async ({ topic, section }: RedriveQuery): Promise<Result<Redriven, RedriveError>> => {
    const dead = deadTopicOf(topic);
    const heads = await log.lag(GROUP, dead);
    if (heads.isErr()) return err(heads.error);
    let total: Redriven = { sent: 0, skipped: 0 };
    for (const one of heads.value) {
      const done = await partition(dead, one.partition, one.head, section);
      if (done.isErr()) return err(done.error);
      total = { sent: total.sent + done.value.sent, skipped: total.skipped + done.value.skipped };
    }
    return ok(total);
  };
  return (query) => new ResultAsync(redrive(query));
};
