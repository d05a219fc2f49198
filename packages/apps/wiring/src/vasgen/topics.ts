import { topicSpec, type Config } from '@doska/app-composition';
import type { TopicSpec } from '@doska/core/kernel';
import { BULK_TOPIC, indexTopic, LIVE_TOPIC, type ClientName } from '@doska/core/vasgen';

/** Where clients send documents, with the queue that each leads to. */
export const INPUT_TOPICS = [
  { topic: LIVE_TOPIC, lane: 'main' },
  { topic: BULK_TOPIC, lane: 'bulk' },
] as const;

/** The index topic of each configured client. */
export const indexTopics = (config: Config): readonly TopicSpec[] => {
  const { clients } = (config as Config & { readonly vasgen: { readonly clients: readonly string[] } })
    .vasgen;
  return clients.map((client) => topicSpec(config, indexTopic(client as ClientName)));
};
