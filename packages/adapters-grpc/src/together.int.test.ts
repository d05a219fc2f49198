import { newSecret, tokenAuthenticator, tokenIssuer, tokenKeys } from '@doska/adapters-auth';
import { httpServer } from '@doska/adapters-http';
import { telemetry } from '@doska/adapters-telemetry';
import { expect, test } from 'vitest';
import { grpcChannel } from './client/grpc-channel.ts';
import { grpcServer } from './server/grpc-server.ts';
import { echo } from './testing/echo-service.ts';
import { realClock } from '@doska/core/kernel/testing';
import { Echo } from './testing/echo.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const recorded = (service: string) => {
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  return { ...telemetry({ service, destination }), lines };
};

test('[B17] [B18] one trace goes through HTTP and gRPC, with real tokens and real sockets', async () => {
  const listen = { host: '127.0.0.1', port: 0, whenBusy: 'refuse' } as const;
  const keys = tokenKeys({ current: { kid: 'k1', alg: 'HS256', secret: newSecret() } })._unsafeUnwrap();
  const tokens = { keys, clock: realClock, issuer: 'doska', audience: 'doska' };
  const ids = { next: () => 'id' };
  const outer = recorded('outer');
  const inner = recorded('inner');
  const token = (
    await tokenIssuer(tokens)({ subject: 'ann', roles: [{ name: 'operator' }], ttlSec: 60 })
  )._unsafeUnwrap();
  const base = { listen, authenticator: tokenAuthenticator(tokens), clock: realClock, ids };

  const grpc = (await grpcServer({ ...base, services: [echo()], telemetry: inner }))._unsafeUnwrap();
  const channel = grpcChannel({
    target: `127.0.0.1:${grpc.port}`,
    clock: realClock,
    token,
    tracer: outer.tracer,
  });
  const http = (
    await httpServer({
      ...base,
      telemetry: outer,
      metrics: { text: outer.metricsText, contentType: outer.metricsContentType },
      routes: [
        {
          method: 'GET',
          path: '/say',
          access: { roles: ['operator'] },
          handle: () =>
            channel
              .client(Echo)
              .say({ text: 'hello' })
              .map((json) => ({ status: 200, json })),
        },
      ],
    })
  )._unsafeUnwrap();

  const headers = { authorization: `Bearer ${token}`, traceparent: `00-${trace}-b7ad6b7169203331-01` };
  const answer = await fetch(`http://127.0.0.1:${http.port}/say`, { headers });
  expect(await answer.json()).toEqual({ text: 'hello' });
  await expect
    .poll(() => outer.lines)
    .toMatchObject([{ message: 'http request', traceId: trace, caller: 'ann' }]);
  expect(inner.lines).toMatchObject([{ message: 'grpc call', traceId: trace, caller: 'ann', code: 'OK' }]);
  expect(JSON.stringify([outer.lines, inner.lines])).not.toContain(token);

  const metrics = await (await fetch(`http://127.0.0.1:${http.port}/metrics`, { headers })).text();
  expect(metrics).toContain('doska_http_requests_total{method="GET",route="GET /say",status="200"} 1');
  expect(await inner.metricsText()).toContain(
    'doska_grpc_requests_total{method="/test.v1.Echo/Say",code="OK"} 1',
  );
  expect((await fetch(`http://127.0.0.1:${http.port}/say`)).status).toBe(401);

  channel.close();
  await http.stop(1_000);
  await grpc.stop(1_000);
});
