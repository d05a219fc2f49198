import { deadLetterCodec, flowCodecs } from '@doska/adapters-proto';
import { subscriptionPart, Tokens, type Part } from '@doska/app-composition';
import {
  FEED_OFFERS,
  makeChangeOffer,
  makeConsumeFlows,
  makeLoadFeed,
  MODERATION_OPINIONS,
  offerIdFrom,
} from '@doska/core/gost';
import { withDeadLetters, type RecordHandler } from '@doska/core/kernel';
import { PHOTO_RESULTS } from '@doska/core/photos';
import type { Container } from 'inversify';

/** What other systems say to the offer store. */
export const CONSUMED = [FEED_OFFERS, MODERATION_OPINIONS, PHOTO_RESULTS];
const ID_SYMBOLS = 12;

/** A consumer for each; a record that can't be read is put aside, everything else is tried until it is done. */
export const flowParts = (app: string, container: Container): readonly Part[] => {
  const [log, stores, random] = [
    container.get(Tokens.log),
    container.get(Tokens.gostStores),
    container.get(Tokens.random),
  ];
  const deciding = container.get(Tokens.gostDeciding);
  const { logger, metrics } = container.get(Tokens.telemetry);
  const heard = metrics.counter({
    name: 'doska_gost_heard_total',
    help: 'Records of other systems that were carried out, by what became of them.',
    labels: ['flow', 'outcome'],
  });
  const newOfferId = () => offerIdFrom(Array.from({ length: ID_SYMBOLS }, () => random.below(32)));
  const needs = { ...deciding, ...stores, newOfferId, codecs: flowCodecs };
  const flows = makeConsumeFlows({
    ...{ changeOffer: makeChangeOffer(needs), loadFeed: makeLoadFeed(needs), codecs: flowCodecs },
    onOutcome: (flow, outcome) => heard.add(1, { flow, outcome }),
  });
  const part = (name: string, topic: string, handle: RecordHandler): Part => {
    const handler = withDeadLetters({ log, codec: deadLetterCodec, clock: deciding.clock, logger }, handle);
    return subscriptionPart(app, name, () => log.subscribe({ group: name, topic, handler }));
  };
  return [
    part('gost-feeds', FEED_OFFERS, flows.feeds),
    part('gost-moderation', MODERATION_OPINIONS, flows.opinions),
    part('gost-photos', PHOTO_RESULTS, flows.photos),
  ];
};
