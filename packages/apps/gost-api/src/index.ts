import {
  cabinetService,
  draftService,
  exportService,
  offerService,
  publicOfferService,
  stageService,
} from '@doska/adapters-grpc';
import { Tokens, type App } from '@doska/app-composition';
import { catalogCachePart, catalogLoaded, CatalogTokens, catalogWiring } from '@doska/app-wiring/catalog';
import { GostTokens, gostWiring } from '@doska/app-wiring/gost';
import { anonymousSessions } from './anonymous-sessions.ts';

const NAME = 'gost-api';

/** Drafts, offers and cabinets for sellers, services and operators. */
export const gostApi: App = {
  name: NAME,
  summary: 'Drafts, offers and cabinets: create, publish, edit, sell, list, scan.',
  contexts: [catalogWiring, gostWiring],
  parts: (container) => [catalogCachePart(NAME, container.get(CatalogTokens.cache))],
  readiness: (container) => ({ catalogue: catalogLoaded(container.get(CatalogTokens.cache)) }),
  services: (container) => {
    const { useCases } = container.get(GostTokens.gost);
    const { sessionsPerMinute, publicPerMinute, contactsPerMinute, anonymousDraftDays } = container.get(
      GostTokens.config,
    );
    const newSession = anonymousSessions({
      issue: container.get(Tokens.issueToken),
      ids: container.get(Tokens.ids),
      clock: container.get(Tokens.clock),
      days: anonymousDraftDays,
    });
    return [
      draftService({
        ...useCases,
        newSession,
        authenticator: container.get(Tokens.authenticator),
        sessionsPerMinute,
      }),
      offerService(useCases),
      publicOfferService({
        ...useCases,
        offersPerMinute: publicPerMinute,
        contactsPerMinute,
      }),
      cabinetService(useCases),
      stageService(useCases),
      exportService(useCases),
    ];
  },
};
