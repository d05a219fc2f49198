import 'reflect-metadata';
import { Container } from 'inversify';
import { expect, test } from 'vitest';
import type { App } from '../app.ts';
import { token } from '../tokens.ts';
import { assemble, wired } from './assembly.ts';

const ball = token<string>('toys.ball');
const box = token<string>('toys.box');
const app = (name: string, more: Partial<App>): App => ({ name, summary: '', ...more });
const part = (name: string, owner: string) => ({ name, app: owner, run: async () => {} });
const boundTwice = (): Container => {
  const container = new Container();
  for (const value of ['red', 'blue']) container.bind(ball).toConstantValue(value);
  return container;
};

test.each(['parts', 'services', 'http', 'hot', 'mounts'] as const)(
  '[B14] a token that is missing in `%s` is a problem that names token and app',
  async (place) => {
    const apps = [
      app('first', {}),
      app('second', { [place]: (container: Container) => [container.get(ball)] }),
    ];
    expect((await assemble(apps, new Container()))._unsafeUnwrapErr().lines).toEqual([
      'second: the token toys.ball is not bound. Does the app list every context that it uses?',
    ]);
  },
);
test('[B14] a token that a binding needs and nothing binds is named, not the token that was asked for', async () => {
  const container = new Container();
  container.bind(box).toResolvedValue((content) => `a box with ${content}`, [ball]);
  const apps = [app('toys-api', { parts: (asked) => [part(asked.get(box), 'toys-api')] })];
  expect((await assemble(apps, container))._unsafeUnwrapErr().lines.join()).toMatch(
    /^toys-api: the token toys\.ball is not bound/,
  );
});
test('[B14] a token that is bound twice is a problem that names token and app', async () => {
  const apps = [app('toys-api', { parts: (asked) => [part(asked.get(ball), 'toys-api')] })];
  expect((await assemble(apps, boundTwice()))._unsafeUnwrapErr().lines).toEqual([
    'toys-api: the token toys.ball is bound more than once',
  ]);
});
test('[B14] any other error is a bug and is thrown', async () => {
  const broken = () => {
    throw new Error('a bug');
  };
  await expect(wired('toys-api', broken)).rejects.toThrow('a bug');
});
test('[B14] of several parts with one name, the first app runs it', async () => {
  const apps = ['first', 'second'].map((name) => app(name, { parts: () => [part('shared', name)] }));
  const { parts } = (await assemble(apps, new Container()))._unsafeUnwrap();
  expect(parts.map(({ app: owner }) => owner)).toEqual(['first']);
});
