import { createRequire } from 'node:module'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressAssets } from './compress-assets.ts'

const server = process.env['DEV_SERVER_URL'] ?? 'http://127.0.0.1:3001'

// Its form for browsers asks the page's own HTML parser, which Trusted Types forbid; this one reads a table.
const characterReferences = createRequire(import.meta.url).resolve('decode-named-character-reference')

export default defineConfig({
  plugins: [react(), tailwindcss(), compressAssets()],
  resolve: { alias: { 'decode-named-character-reference': characterReferences } },
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: {
    // The server's own paths; everything else is the application. The Host header stays, as the server checks it.
    proxy: Object.fromEntries(
      ['/api', '/oidc', '/healthz', '/readyz', '/metrics'].map((path) => [path, { target: server }]),
    ),
  },
})
