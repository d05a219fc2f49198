import { xxh64 } from '../../kernel/index.ts';
import type { OfferCommand } from './command.ts';
import { COMMANDS_KEPT, NAMED_COMMANDS_KEPT, type AppliedCommand } from './offer.ts';

/** What a caller says with a command. What we find out ourselves, such as a place, may differ when it is repeated. */
const saidBy = (command: OfferCommand): unknown => {
  if (command.kind === 'edit') return command.content;
  return command.kind === 'sell' ? command.onPlatform : undefined;
};
/** The same for the same command. 53 bits: they fit a number. */
export const fingerprintOf = (command: OfferCommand): number =>
  Number(xxh64(JSON.stringify([command.kind, saidBy(command)])) >> 11n);
export const fingerprintField = (command: OfferCommand): Pick<AppliedCommand, 'fingerprint'> =>
  command.named ? { fingerprint: fingerprintOf(command) } : {};

/** Whether the id was used for a command that said something else. Old records do not know what was said. */
export const isReused = ({ fingerprint }: AppliedCommand, command: OfferCommand): boolean =>
  fingerprint !== undefined && fingerprint !== fingerprintOf(command);

/** Those that stay remembered, of all that were applied, newest first. */
export const rememberedCommands = (applied: readonly AppliedCommand[]): readonly AppliedCommand[] => {
  let named = 0;
  return applied.filter(({ fingerprint }, place) => {
    if (fingerprint !== undefined) named++;
    return place < COMMANDS_KEPT || (fingerprint !== undefined && named <= NAMED_COMMANDS_KEPT);
  });
};
