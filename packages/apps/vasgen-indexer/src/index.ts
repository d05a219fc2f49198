import { holdingPart, Tokens, type App, type Part } from '@doska/app-composition';
import { indexTopics, VasgenTokens, vasgenWiring } from '@doska/app-wiring/vasgen';
import { QUEUES } from '@doska/core/vasgen';

const NAME = 'vasgen-indexer';

/** Publishes queued documents to the index topics. Run as many processes as you like: they share shards by leases. */
export const vasgenIndexer: App = {
  name: NAME,
  summary: 'Reads the queues of documents and publishes them to the index topics.',
  contexts: [vasgenWiring],
  topics: indexTopics,
  parts: (container) => {
    const { workers } = container.get(VasgenTokens.vasgen);
    const { shards, clients } = container.get(VasgenTokens.settings);
    const leases = container.get(Tokens.leases);
    return clients.flatMap((client) =>
      QUEUES.flatMap((queue): Part[] => {
        const set = `vasgen-${queue}-${client}`;
        const work = workers.indexShard(client, queue);
        return [
          holdingPart(NAME, set, () => leases.hold({ set, shards, work })),
          {
            app: NAME,
            name: `${set}-heads`,
            run: (signal, ready) => {
              ready();
              return workers.watchQueue(client, queue, signal);
            },
          },
        ];
      }),
    );
  },
};
