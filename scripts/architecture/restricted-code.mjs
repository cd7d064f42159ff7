/** Code that is allowed in some files only: its pattern, the files, and the message for other files. */
const restrictions = [
  {
    pattern: /\bprocess\.env\b/,
    isAllowed: (/** @type {string} */ path) =>
      /^(bin|scripts|e2e|bench)\/|\.config\.ts$|^server\/config\/|^server\/testing\/(database\/test-database|models\/strict\/soak-runs|program-path)\.ts$/.test(
        path,
      ),
    message: 'only server/config reads process.env',
  },
  {
    pattern:
      /\.(selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto|withRecursive|prepare)\(|\bsql(<[^`]*>)?`|\bsql\.(raw|id|ref|join)\(/,
    isAllowed: (/** @type {string} */ path) =>
      /-store\.ts$|^server\/(access|db|testing)\/|\.test\.ts$|^(scripts|e2e|bench)\//.test(path),
    message: 'SQL is allowed in *-store.ts, server/access and server/db only',
  },
  {
    pattern: /\buser_id'\s*,\s*'(=|!=|<>|in|not in)'|\buser_id\s*(=(?!=)|<>|in\b)/,
    isAllowed: (/** @type {string} */ path) => !/^server\/.*-store\.ts$/.test(path),
    message: 'a store does not compare user_id: server/access knows who may read and change a row',
  },
  {
    pattern:
      /(?<![.\w])fetch\(|(?<!typeof )\b(globalThis|window|self)\.fetch\b|\bnew (WebSocket|EventSource|XMLHttpRequest)\b|\bsendBeacon\(|import (?!type\b)[^'"]*from ['"]undici['"]|import (?!type\b)(?:[^'"]*\b(request|get|connect|createConnection|Socket|Agent)\b[^'"]*|[\w*][^'"{]*)from ['"]node:(https?|http2|net|tls)['"]/,
    isAllowed: (/** @type {string} */ path) =>
      /^server\/(http|testing)\/|^web\/(lib|testing)\/|\.test\.tsx?$|^(scripts|e2e|bench)\//.test(path),
    message:
      'outgoing requests of the server go through a guard of server/http/outgoing, those of the browser through web/lib',
  },
  {
    pattern:
      /\brequest\.ips?\b|\{[^{}]*\bips?\b[^{}]*\}: (Pick<)?FastifyRequest|\btrustProxy\b|\.remoteAddress\b/,
    isAllowed: (/** @type {string} */ path) =>
      /^scripts\/|^server\/(testing|http\/outgoing)\/|^server\/http\/client-address\.ts$|\.test\.ts$/.test(
        path,
      ),
    message:
      'the address of a client is request.client of server/http/client-address.ts, in its one spelling',
  },
  {
    pattern: /\bJSON\.parse\(\s*JSON\.stringify\(|\bstructuredClone\(/,
    isAllowed: (/** @type {string} */ path) => /\.test\.tsx?$/.test(path),
    message: 'state is never cloned as a whole: create a new object for the part that changes',
  },
  {
    pattern: /\b(rounded|ease|duration|shadow|bg|fill|stroke)-\[|#[0-9a-fA-F]{6}\b|\brgba?\(/,
    isAllowed: (/** @type {string} */ path) =>
      !/^web\/(app|features|ui)\//.test(path) ||
      /\.test\.tsx?$|^web\/features\/preferences\/theme\.ts$/.test(path),
    message: 'use the tokens of web/ui/tokens.css for colours, radii and motion',
  },
  {
    pattern: /\breadonly className\b|[{,]\s*className\s*[,}]/,
    isAllowed: (/** @type {string} */ path) => !/^web\/ui\/(?!markdown\/)/.test(path),
    message:
      'a primitive takes no className, which would depend on the order of the stylesheet: give it a variant',
  },
]

/**
 * Settings, SQL, outgoing requests, addresses of clients, clones, literal colours, radii and durations, a `className` prop and default
 * exports are allowed in some files only.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkRestrictedCode(sources) {
  return sources.flatMap(({ path, code }) =>
    restrictions.flatMap(({ pattern, isAllowed, message }) => {
      const found = isAllowed(path) ? null : pattern.exec(code)
      if (found === null) return []
      const line = code.slice(0, found.index).split('\n').length
      return [`${path}:${line}: ${message}`]
    }),
  )
}
