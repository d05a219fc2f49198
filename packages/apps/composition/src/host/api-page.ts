import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { staticMount, type HttpMount } from '@doska/adapters-http';
import type { Access } from '@doska/core/kernel';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Doska API</title>
    <link rel="stylesheet" href="swagger-ui.css">
    <link rel="icon" href="favicon-32x32.png">
  </head>
  <body>
    <div id="api"></div>
    <script src="swagger-ui-bundle.js"></script>
    <script src="page.js"></script>
  </body>
</html>
`;
/** A file of its own: the page policy allows no script inside the page. */
const SCRIPT = `SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#api',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'none',
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** `/api/` shows the OpenAPI document with a form for each operation. */
export const apiPage = (access: Access): HttpMount => {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return staticMount('/api', folder, access, {
    '/': { type: 'html', text: PAGE },
    '/page.js': { type: 'js', text: SCRIPT },
  });
};
