import { err, ok, type Result } from 'neverthrow';
import type { ForeignPosition, Position } from '../ports/message-log.port.ts';

/**
 * For a consumer that stores "applied up to" with its effect: is `delivered` news, given what is stored? A stored
 * position of another log (or of an earlier life of the topic) is refused: comparing the two would drop records.
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
