import type { EpochSchema } from '@doska/core/vasgen';

/** The stored form of a schema. Its number is a column of its own. */
export const schemaText = ({ fields, plans }: EpochSchema): string => JSON.stringify({ fields, plans });
export const schemaOf = (number: number, text: string): EpochSchema => ({
  number,
  ...(JSON.parse(text) as Omit<EpochSchema, 'number'>),
});
