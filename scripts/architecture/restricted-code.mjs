/** Things that have one home each: where the pattern may stand, and what to say when it stands elsewhere. */
const homes = [
  {
    pattern: /\bprocess\.env\b/,
    isHome: (/** @type {string} */ path) =>
      /^(scripts|e2e|bench)\/|\.config\.ts$|^server\/config\/|^server\/testing\/database\/test-database\.ts$/.test(
        path,
      ),
    message: 'only server/config reads process.env',
  },
  {
    pattern:
      /\.(selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto|withRecursive|prepare)\(|\bsql(<[^`]*>)?`|\bsql\.(raw|id|ref|join)\(/,
    isHome: (/** @type {string} */ path) =>
      /-store\.ts$|^server\/(db|testing)\/|\.test\.ts$|^(scripts|e2e|bench)\//.test(path),
    message: 'SQL stands in *-store.ts and server/db only',
  },
  {
    pattern:
      /(?<![.\w])fetch\(|(?<!typeof )\b(globalThis|window|self)\.fetch\b|\bnew (WebSocket|EventSource|XMLHttpRequest)\b|\bsendBeacon\(|import (?!type\b)[^'"]*from ['"]undici['"]|import (?!type\b)(?:[^'"]*\b(request|get|connect|createConnection|Socket|Agent)\b[^'"]*|[\w*][^'"{]*)from ['"]node:(https?|http2|net|tls)['"]/,
    isHome: (/** @type {string} */ path) =>
      /^server\/(http|models|identity|testing)\/|^web\/(lib|testing)\/|\.test\.tsx?$|^(scripts|e2e|bench)\//.test(
        path,
      ),
    message: 'outgoing requests go through server/http, server/models, server/identity or web/lib',
  },
  {
    pattern: /\bJSON\.parse\(\s*JSON\.stringify\(|\bstructuredClone\(/,
    isHome: (/** @type {string} */ path) => /\.test\.tsx?$/.test(path),
    message: 'state is replaced where it changes, never cloned whole',
  },
  {
    pattern: /\b(rounded|ease|duration|shadow|bg|fill|stroke)-\[|#[0-9a-fA-F]{6}\b|\brgba?\(/,
    isHome: (/** @type {string} */ path) =>
      !/^web\/(app|features|ui)\//.test(path) ||
      /\.test\.tsx?$|^web\/features\/preferences\/theme\.ts$/.test(path),
    message: 'colours, radii and motion are tokens of web/ui/tokens.css',
  },
  {
    pattern: /\breadonly className\b|[{,]\s*className\s*[,}]/,
    isHome: (/** @type {string} */ path) => !/^web\/ui\/(?!markdown\/)/.test(path),
    message:
      'a primitive takes no className, which would depend on the order of the stylesheet: give it a variant',
  },
  {
    pattern: /^export default\b/m,
    isHome: (/** @type {string} */ path) => path.endsWith('.config.ts'),
    message: 'exports have names',
  },
]

/**
 * Settings, SQL, outgoing requests, clones and default exports stand in their homes only.
 *
 * @type {import('./read-sources.mjs').Rule}
 */
export function checkHomes(sources) {
  return sources.flatMap(({ path, code }) =>
    homes.flatMap(({ pattern, isHome, message }) => {
      const found = isHome(path) ? null : pattern.exec(code)
      if (found === null) return []
      const line = code.slice(0, found.index).split('\n').length
      return [`${path}:${line}: ${message}`]
    }),
  )
}
