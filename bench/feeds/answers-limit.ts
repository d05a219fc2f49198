import type { Measured } from '../harness.ts';
import { pgbench } from '../pgbench.ts';

const ERRORS = 50;
const BATCHES = 4;
const SECONDS = 4;
/** The rows that saving four answers inserts, by pgbench in one transaction, with the one update of the statistics. */
const SCRIPT = `\\set run random(1, 2000000000)
begin;
insert into feeds.offer_errors (seller_id, namespace, task_id, generation, external_id, error_id, error_level, code, path, ordinal, line, title, error_message, value)
  select 'limit', 'main', :run, 1, 'made-' || n, n, 0, 'attribute', 'offer/attributes', n, n, 'Велосипед горный Stels Navigator',
  'the dictionary of this attribute has no such value', 'Неведомое' from generate_series(1, ${ERRORS * BATCHES}) n;
insert into feeds.offer_batches (seller_id, namespace, task_id, generation, batch_id)
  select 'limit', 'main', :run, 1, n from generate_series(1, ${BATCHES}) n;
commit;
`;
export const answersLimit = async (url: string): Promise<Measured> => {
  const { perSecond } = await pgbench(url, SCRIPT, { clients: 1, seconds: SECONDS });
  return { value: perSecond * BATCHES * (ERRORS + 1) };
};
