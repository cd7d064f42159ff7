import { createRequire } from 'node:module'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressAssets } from './compress-assets.ts'

const server = process.env['DEV_SERVER_URL'] ?? 'http://127.0.0.1:3001'

// In browsers this package uses the page's HTML parser, which Trusted Types forbid. Its build for Node uses a table.
const characterReferences = createRequire(import.meta.url).resolve('decode-named-character-reference')

export default defineConfig({
  plugins: [react(), tailwindcss(), compressAssets()],
  resolve: { alias: { 'decode-named-character-reference': characterReferences } },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Browsers download the bundled packages, so the file with the licences of these is served too.
    license: { fileName: 'THIRD-PARTY.md' },
    rolldownOptions: {
      output: {
        // Many small files load slower and compress worse than a few: one has what the signed-out page needs, and three
        // more have what nearly every screen needs. The rest is split by screen, and what uploads and shows files is
        // loaded with the first file.
        codeSplitting: {
          groups: [
            { name: 'first-page', tags: ['$initial'] },
            { name: 'ui', test: /\/web\/ui\/(?!markdown\/)/ },
            { name: 'lib', test: /\/web\/lib\/(?!files\/)|node_modules\/swr\// },
            {
              name: 'shared',
              test: /\/web\/(app|data|features)\/(?!files[./])|\/contract\/|\/lucide-react\//,
              minShareCount: 3,
            },
          ],
        },
      },
    },
  },
  server: {
    // The paths of the server that development needs; everything else is the application. The Host header stays, since
    // the server checks it.
    proxy: Object.fromEntries(
      ['/api', '/oidc', '/healthz', '/readyz', '/metrics'].map((path) => [path, { target: server }]),
    ),
  },
})
