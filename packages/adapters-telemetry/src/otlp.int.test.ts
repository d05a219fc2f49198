import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { err } from 'neverthrow';
import { expect, test } from 'vitest';
import { telemetry } from './telemetry.ts';

test('[B18] finished spans are sent to the collector, failures marked', async () => {
  const bodies: string[] = [];
  const collector = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
    request.on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const { tracer, stop } = telemetry({ service: 'test', otlpUrl: `http://127.0.0.1:${port}/v1/traces` });
  await tracer.span('saves', { attributes: { offer: 'o-1', password: 'hush' } }, async () =>
    err({ kind: 'RevisionConflict' }),
  );
  await stop();
  await new Promise((resolve) => collector.close(resolve));
  const sent = JSON.parse(bodies.join(''));
  const [span] = sent.resourceSpans[0].scopeSpans[0].spans;
  expect(span).toMatchObject({ name: 'saves', status: { code: 2, message: 'RevisionConflict' } });
  expect(bodies.join('')).not.toContain('hush');
});

test('[B18] a collector that does not answer does not block the stop', async () => {
  const { tracer, stop } = telemetry({ service: 'test', otlpUrl: 'http://127.0.0.1:1/v1/traces' });
  await tracer.span('x', {}, async () => 1);
  await stop();
});
