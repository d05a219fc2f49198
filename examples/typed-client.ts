// A typed client of ten lines. Paths, fields and answers are checked by the compiler.
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const [, , baseUrl, token] = process.argv;
const api = createClient<paths>({ baseUrl: baseUrl!, headers: { authorization: `Bearer ${token}` } });
const owner = { userId: 'bob' };
const text = {
  title: 'Клетка',
  price: { minorUnits: '90000', currency: 'RUB' },
  contacts: { phone: '+7 900 000-00-01' },
};
const { data: current } = await api.POST('/v1/drafts:current', { body: { owner, categoryId: 'rodents' } });
const params = { path: { draft_id: current!.draft!.id! } };
await api.PUT('/v1/drafts/{draft_id}', { params, body: { owner, categoryId: 'rodents', text } });
const { data, error } = await api.POST('/v1/drafts/{draft_id}:publish', {
  params,
  body: { sellerId: 'bob' },
});
console.log(data ? `published: version ${data.offer!.version}, ${data.offer!.status}` : error.kind);
