import { holdingPart, subscriptionPart, Tokens, type App, type Part } from '@doska/app-composition';
import { indexTopics, VasgenTokens, vasgenWiring } from '@doska/app-wiring/vasgen';
import { indexTopic, QUEUES } from '@doska/core/vasgen';

const NAME = 'vasgen-indexer';
const ARCHIVE_GROUP = 'vasgen-archive';

/** Publishes queued documents to the index topics, and keeps the archive of these. Run as many processes as you like: they share shards by leases. */
export const vasgenIndexer: App = {
  name: NAME,
  summary: 'Reads the queues of documents and publishes them to the index topics.',
  contexts: [vasgenWiring],
  topics: indexTopics,
  parts: (container) => {
    const { workers } = container.get(VasgenTokens.vasgen);
    const { shards, clients, archive } = container.get(VasgenTokens.settings);
    const log = container.get(Tokens.log);
    const jobs = container.get(Tokens.jobs);
    const leases = container.get(Tokens.leases);
    const archiving = clients.map((client): Part => {
      const topic = indexTopic(client);
      const subscription = () =>
        log.subscribe({
          group: ARCHIVE_GROUP,
          topic,
          handler: workers.archiveTopic(client),
          batchRecordsMax: archive.segmentRecords,
          batchBytesMax: archive.segmentBytes,
        });
      return subscriptionPart(NAME, `vasgen-archive-${client}`, subscription);
    });
    const upkeep = workers.archiveJobs.map((job): Part => holdingPart(NAME, job.name, () => jobs.start(job)));
    const indexing = clients.flatMap((client) =>
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
    return [...indexing, ...archiving, ...upkeep];
  },
};
