import { readdirSync, readFileSync } from 'node:fs';
import { compileOfferSchema, type OfferProblems, type SchemaFile } from './json-schema.ts';

const FOLDER = new URL('../../schema/parsed/', import.meta.url);
/** The schema of our JSON: of sellers, and of sources without a schema of their own. */
const COMMON = 'offers.json';

const files = new Map(
  readdirSync(FOLDER).map(
    (file) => [file, JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as SchemaFile] as const,
  ),
);
const compiled = new Map([...files.keys()].map((file) => [file, compileOfferSchema(files, file)] as const));

/** What is wrong with an offer of this source. */
export const offerProblems = (source: string | undefined): OfferProblems =>
  compiled.get(`${source ?? ''}.json`) ?? compiled.get(COMMON)!;
