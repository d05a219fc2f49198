import { err, ok, type Result } from 'neverthrow';
import type { ForeignPosition, Position } from '../ports/message-log.port.ts';

/**
 * For a consumer that stores its position with its effect: whether `delivered` is new compared with the stored position. A
 * position of another log or of an earlier incarnation of the topic is refused, because comparing the two would drop records.
 */
export const isNews = (
  applied: Position | undefined,
  delivered: Position,
): Result<boolean, ForeignPosition> => {
  if (applied === undefined) return ok(true);
  const same =
    applied.log === delivered.log &&
    applied.topic === delivered.topic &&
    applied.partition === delivered.partition;
  return same
    ? ok(delivered.offset > applied.offset)
    : err({ kind: 'ForeignPosition', position: applied, log: delivered.log });
};
