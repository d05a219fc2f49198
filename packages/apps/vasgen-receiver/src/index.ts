import { archiveService, epochService, queueService, receiverService } from '@doska/adapters-grpc';
import { deadLetterCodec } from '@doska/adapters-proto';
import {
  holdingPart,
  subscriptionPart,
  Tokens,
  topicSpec,
  type App,
  type Part,
} from '@doska/app-composition';
import { INPUT_TOPICS, VasgenTokens, vasgenWiring } from '@doska/app-wiring/vasgen';
import { deadTopicSpec, withDeadLetters } from '@doska/core/kernel';
import { REJECTED_TOPIC } from '@doska/core/vasgen';

const NAME = 'vasgen-receiver';

/** Takes documents, decides which are fresher, and stores them with the queue elements that lead to the index. */
export const vasgenReceiver: App = {
  name: NAME,
  summary: 'Takes documents of clients over gRPC, HTTP and topics, and stores them for the index.',
  contexts: [vasgenWiring],
  topics: (config) => {
    const inputs = INPUT_TOPICS.map(({ topic }) => topicSpec(config, topic));
    return [...inputs, ...inputs.map(deadTopicSpec), topicSpec(config, REJECTED_TOPIC)];
  },
  parts: (container) => {
    const { workers } = container.get(VasgenTokens.vasgen);
    const { shards, clients } = container.get(VasgenTokens.settings);
    const leases = container.get(Tokens.leases);
    const log = container.get(Tokens.log);
    const clock = container.get(Tokens.clock);
    const { logger, metrics } = container.get(Tokens.telemetry);
    const { recordAttemptsMax: attemptsMax } = container.get(Tokens.config);
    const letters = { log, codec: deadLetterCodec, clock, logger, metrics, attemptsMax };
    const inputs = INPUT_TOPICS.map(({ topic, lane }): Part => {
      const handler = withDeadLetters(letters, workers.consumeDocuments(lane));
      return subscriptionPart(NAME, topic, () => log.subscribe({ group: NAME, topic, handler }));
    });
    const upkeep = clients.map((client): Part => {
      const set = `vasgen-upkeep-${client}`;
      return holdingPart(NAME, set, () => leases.hold({ set, shards, work: workers.upkeepShard(client) }));
    });
    return [...inputs, ...upkeep];
  },
  services: (container) => {
    const { useCases } = container.get(VasgenTokens.vasgen);
    return [
      receiverService(useCases),
      epochService(useCases),
      queueService(useCases),
      archiveService(useCases),
    ];
  },
};
