import { resolve } from 'node:path';
import { loadCatalogFiles } from '@doska/adapters-files';
import {
  catalogClient,
  type CatalogClient,
  type CategoryDetails,
  type RpcError,
  type TreeNode,
} from '@doska/adapters-grpc';
import { STANDARD_FILTERS, type CatalogChange, type CatalogContent } from '@doska/core/catalog';
import type { Malformed } from '@doska/core/kernel';
import { err, Result, type ResultAsync } from 'neverthrow';
import { numberArgument } from './number-argument.ts';
import { EXIT, problem, type CommandOutput, type CommandProblem, type CommandResult } from './outcome.ts';
import { table } from './output.ts';
import { connect } from './platform.ts';
import { refusalInWords } from './refusal.ts';

const content = async (dir: string): Promise<Result<CatalogContent, CommandProblem>> =>
  (await loadCatalogFiles(resolve(dir))).mapErr(({ mistakes }) =>
    problem(
      [
        `${mistakes.length} mistakes, nothing was loaded:`,
        ...mistakes.map(({ file, path, message }) => `  ${file} ${path}: ${message}`),
      ].join('\n'),
      EXIT.refused,
    ),
  );
const inWords = (error: RpcError | Malformed): CommandProblem =>
  error.kind === 'Malformed'
    ? problem(JSON.stringify(error), EXIT.refused)
    : refusalInWords('The catalogue', error);
const asked = async <T>(
  ask: (client: CatalogClient) => ResultAsync<T, RpcError | Malformed>,
  say: (answer: T) => CommandOutput,
): Promise<CommandResult> => {
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const answer = await ask(catalogClient(channel.value));
  channel.value.close();
  return answer.map(say).mapErr(inWords);
};
const changeTable = (changes: readonly CatalogChange[]): string =>
  changes.length === 0
    ? 'no changes'
    : table(
        ['change', 'thing', 'id'],
        changes.map(({ change, thing, id }) => ({ change, thing, id })),
      );

/** Whether the files make a right catalogue; needs no platform. */
export const catalogCheck = async (dir: string): Promise<CommandResult> =>
  (await content(dir)).map(({ categories, attributes }) => {
    const value = { categories: categories.length, attributes: attributes.length };
    return { value, text: `right: ${value.categories} categories, ${value.attributes} attributes` };
  });

export type CatalogPublishOptions = {
  readonly expect?: string;
  readonly allowTypeChanges?: boolean;
  readonly dryRun?: boolean;
};
export const catalogPublish = async (
  dir: string,
  { expect, allowTypeChanges = false, dryRun = false }: CatalogPublishOptions,
): Promise<CommandResult> => {
  const expected = numberArgument('--expect', expect);
  if (expected.isErr()) return err(expected.error);
  const loaded = await content(dir);
  if (loaded.isErr()) return err(loaded.error);
  const options = {
    allowTypeChanges,
    dryRun,
    ...(expected.value === undefined ? {} : { expected: expected.value }),
  };
  return asked(
    (client) => client.publish(loaded.value, options),
    (answer) => ({
      value: answer,
      text: [
        answer.publishedVersion > 0
          ? `published version ${answer.publishedVersion}`
          : dryRun
            ? `would be published after version ${answer.baseVersion}`
            : `nothing to publish, version ${answer.baseVersion} stays`,
        changeTable(answer.changes),
      ].join('\n'),
    }),
  );
};

export const catalogDiff = async (since: string, until: string | undefined): Promise<CommandResult> => {
  const versions = Result.combine([numberArgument('SINCE', since), numberArgument('UNTIL', until)]);
  if (versions.isErr()) return err(versions.error);
  return asked(
    (client) => client.changes(versions.value[0], versions.value[1]),
    (answer) => ({
      value: answer,
      text: [`from version ${since} to ${answer.version}`, changeTable(answer.changes)].join('\n'),
    }),
  );
};

const treeText = ({
  version,
  nodes,
}: {
  readonly version: number;
  readonly nodes: readonly TreeNode[];
}): string =>
  [
    `version ${version}`,
    ...nodes.map(
      ({ depth, id, names }) => `${'  '.repeat(depth)}${id}  ${names?.ru ?? ''} / ${names?.en ?? ''}`,
    ),
  ].join('\n');
/** `STANDARD_FILTER_WITH_PHOTO` is `withPhoto` to people. */
const filterName = (wire: number): string => STANDARD_FILTERS[wire - 1] ?? String(wire);
const detailsText = ({
  version,
  details: { category, pathIds, attributes, standardFilters },
}: {
  readonly version: number;
  readonly details: CategoryDetails;
}): string =>
  [
    `${category?.id ?? ''}  ${category?.names?.ru ?? ''} / ${category?.names?.en ?? ''}${category?.retired ? '  (retired)' : ''}   version ${version}`,
    `path: ${pathIds.join(' > ')}`,
    `standard filters: ${standardFilters.map(filterName).join(', ')}`,
    table(
      ['attribute', 'type', 'required', 'filter', 'name', 'from'],
      attributes.map(({ attribute, required, filterable, declaredBy }) => ({
        attribute: attribute?.id,
        type: attribute?.type?.$case,
        required: required ? 'yes' : '',
        filter: filterable ? 'yes' : '',
        name: attribute?.names?.ru,
        from: declaredBy,
      })),
    ),
  ].join('\n');

/** The tree, or one category with all that holds in it. */
export const catalogShow = async (
  id: string | undefined,
  { at }: { readonly at?: string },
): Promise<CommandResult> => {
  const version = numberArgument('--at', at);
  if (version.isErr()) return err(version.error);
  const options = version.value === undefined ? {} : { version: version.value };
  if (id === undefined)
    return asked(
      (client) => client.tree(options),
      (answer) => ({ value: answer, text: treeText(answer) }),
    );
  return asked(
    (client) => client.category(id, options),
    (answer) => ({ value: answer, text: detailsText(answer) }),
  );
};
