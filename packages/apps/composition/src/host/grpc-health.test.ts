import { eventually, realClock } from '@doska/core/kernel/testing';
import { err, ok } from 'neverthrow';
import { expect, test } from 'vitest';
import { followReadiness } from './grpc-health.ts';

test('[X19] gRPC health of the server and of each service follows the readiness checks', async () => {
  let isReady = false;
  const shown = new Map<string, boolean>();
  const stop = await followReadiness(
    { setServing: (serving, service = '') => void shown.set(service, serving) },
    {
      services: ['doska.gost.v1.OfferService'],
      readiness: {
        database: async () => ok(undefined),
        catalogue: async () => (isReady ? ok(undefined) : err('none')),
      },
      everyMs: 5,
      clock: realClock,
    },
  );
  const all = (serving: boolean) => [
    ['', serving],
    ['doska.gost.v1.OfferService', serving],
  ];
  expect([...shown]).toEqual(all(false));
  isReady = true;
  await eventually(() => expect([...shown]).toEqual(all(true)));
  isReady = false;
  await eventually(() => expect([...shown]).toEqual(all(false)));
  stop();
  isReady = true;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([...shown]).toEqual(all(false));
});
