import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkDocLinks, checkDocPaths, checkPackedLinks } from './doc-paths.mjs'
import { checkLayers } from './layers.mjs'
import { checkPackages } from './packages.mjs'
import { checkPatterns } from './patterns.mjs'
import { parseSource } from './read-sources.mjs'
import { checkRestrictedCode } from './restricted-code.mjs'
import { checkRouteTests } from './route-tests.mjs'

/**
 * @param {Record<string, string>} files
 */
function tree(files) {
  return Object.entries(files).map(([path, text]) => parseSource(path, text))
}

/**
 * Each case: a rule, a file that violates it, a file that does not, and the message of the violation.
 *
 * @type {{ title: string, rule: import('./read-sources.mjs').Rule,
 *   bad: [string, string], good: [string, string], message: string }[]}
 */
const cases = [
  {
    title: 'what is shipped imports only packages that are installed without the tests',
    rule: checkPackages,
    bad: ['server/chats/list-chats.ts', "import { rrule } from 'rrule-temporal'"],
    good: [
      'server/chats/chat-tree.ts',
      "import type { Root } from 'mdast'\nimport { z } from 'zod'\nimport 'node:fs'",
    ],
    message: 'rrule-temporal is not in "dependencies" of server/package.json',
  },
  {
    title: 'the contract imports only zod',
    rule: checkLayers,
    bad: ['contract/chat.ts', "import { join } from 'node:path'"],
    good: ['contract/bot.ts', "import { z } from 'zod'\nexport type { Chat } from './chat.ts'"],
    message: 'zod and nothing else',
  },
  {
    title: 'the contract imports no other package',
    rule: checkLayers,
    bad: ['contract/chat.ts', "import type { Row } from '../server/db/tables.ts'"],
    good: ['contract/chat.test.ts', "import { expect } from 'vitest'"],
    message: 'contract must not import server',
  },
  {
    title: 'the browser does not import the server',
    rule: checkLayers,
    bad: ['web/lib/api/api-client.ts', "import { listChats } from '../../../server/chats/chat-store.ts'"],
    good: ['web/lib/open-stream.ts', "import type { Chat } from '@yonder/contract/chat'"],
    message: 'web must not import server',
  },
  {
    title: 'the server does not import the browser, also not dynamically',
    rule: checkLayers,
    bad: ['server/main.ts', "const page = await import('../web/app/main.tsx')"],
    good: ['server/app.ts', "const page = await import('./http/api.ts')"],
    message: 'server must not import web',
  },
  {
    title: 'the browser imports no Node modules',
    rule: checkLayers,
    bad: ['web/lib/read-file.ts', "import { readFile } from 'node:fs'"],
    good: ['web/vite.config.ts', "import { join } from 'node:path'"],
    message: 'the browser does not have',
  },
  {
    title: 'the contract is imported by its name',
    rule: checkLayers,
    bad: ['server/chats/chat-store.ts', "import type { Chat } from '../../contract/chat.ts'"],
    good: ['server/chats/chat-tree.ts', "import type { Chat } from '@yonder/contract/chat'"],
    message: "imported as '@yonder/contract",
  },
  {
    title: 'relative imports carry their extension',
    rule: checkLayers,
    bad: ['server/chats/chat-store.ts', "import { listPath } from './chat-tree'"],
    good: ['server/chats/chat-tree.ts', "import './chat-store.ts'"],
    message: 'with its extension',
  },
  {
    title: 'a domain imports only the domains that its list allows',
    rule: checkLayers,
    bad: ['server/chats/chat-store.ts', "import { runCompletion } from '../completions/run-completion.ts'"],
    good: [
      'server/completions/run-completion.ts',
      "import { requireBot } from '../bots/bot-store.ts'\nimport { parseConfig } from '../config/config.ts'",
    ],
    message: 'chats must not import completions',
  },
  {
    title: 'two domains on the same level do not import each other',
    rule: checkLayers,
    bad: ['server/bots/bot-store.ts', "import type { Chat } from '../chats/chat-store.ts'"],
    good: ['server/connectors/call-tool.ts', "import { send } from '../integrations/integration-store.ts'"],
    message: 'bots must not import chats',
  },
  {
    title: 'http imports no domain',
    rule: checkLayers,
    bad: ['server/http/bearer-guard.ts', "import { verify } from '../identity/verify-token.ts'"],
    good: ['server/identity/verify-token.ts', "import { AppError } from '../http/app-error.ts'"],
    message: 'http must not import identity',
  },
  {
    title: 'a domain that is not listed imports nothing',
    rule: checkLayers,
    bad: ['server/billing/send-bill.ts', "import { requireBot } from '../bots/bot-store.ts'"],
    good: ['server/main.ts', "import { requireBot } from './bots/bot-store.ts'"],
    message: 'not in the list of layers',
  },
  {
    title: 'no file imports the routes of another domain',
    rule: checkLayers,
    bad: ['server/completions/run-completion.ts', "import { chatRoutes } from '../chats/chat-routes.ts'"],
    good: ['server/chats/open-chats.ts', "import { chatRoutes } from './chat-routes.ts'"],
    message: 'routes of another domain',
  },
  {
    title: 'no domain imports the composition',
    rule: checkLayers,
    bad: ['server/chats/list-chats.ts', "import { createApp } from '../app.ts'"],
    good: ['server/main.ts', "import { createApp } from './app.ts'"],
    message: 'only the composition',
  },
  {
    title: 'only tests import server/testing',
    rule: checkLayers,
    bad: ['server/chats/list-chats.ts', "import { openTestApp } from '../testing/test-app.ts'"],
    good: ['server/chats/list-chats.test.ts', "import { openTestApp } from '../testing/test-app.ts'"],
    message: 'only tests import',
  },
  {
    title: 'a feature imports only those below it',
    rule: checkLayers,
    bad: ['web/features/sharing/share-dialog.tsx', "import { Composer } from '../chat/composer.tsx'"],
    good: ['web/features/chat/composer.tsx', "import { ShareDialog } from '../sharing/share-dialog.tsx'"],
    message: 'feature sharing must not import feature chat',
  },
  {
    title: 'primitives import no feature',
    rule: checkLayers,
    bad: ['web/ui/menu.tsx', "import { Composer } from '../features/chat/composer.tsx'"],
    good: ['web/features/chat/composer.tsx', "import { Menu } from '../../ui/menu.tsx'"],
    message: 'ui must not import features',
  },
  {
    title: 'a feature does not import the application',
    rule: checkLayers,
    bad: ['web/features/chat/composer.tsx', "import { routes } from '../../app/routes.tsx'"],
    good: ['web/features/chat/send-button.tsx', "import { Composer } from './composer.tsx'"],
    message: 'features must not import app',
  },
  {
    title: 'every folder of the browser is a known layer',
    rule: checkLayers,
    bad: ['web/helpers/format.ts', ''],
    good: ['web/main.tsx', "import { WebApp } from './app/web-app.tsx'"],
    message: 'web/helpers is not in the list of layers',
  },
  {
    title: 'only tests import web/testing',
    rule: checkLayers,
    bad: ['web/lib/clock.ts', "import { fake } from '../testing/fake-clock.ts'"],
    good: ['web/lib/clock.test.ts', "import { fake } from '../testing/fake-clock.ts'"],
    message: 'only tests import',
  },
  {
    title: 'only the configuration reads the environment',
    rule: checkRestrictedCode,
    bad: ['server/app.ts', "const port = process.env['PORT']"],
    good: ['server/config/config.ts', "// why process.env\nconst port = process.env['PORT']"],
    message: 'server/app.ts:1: only server/config reads',
  },
  {
    title: 'comments are ignored',
    rule: checkRestrictedCode,
    bad: ['server/app.ts', "/* '/api/*' */ const port = process.env['PORT']"],
    good: ['server/main.ts', '// not process.env\n/* nor process.env\n here */'],
    message: 'only server/config',
  },
  {
    title: 'one file knows the address of a client',
    rule: checkRestrictedCode,
    bad: ['server/app.ts', 'const key = ({ ip }: FastifyRequest) => ip'],
    good: ['server/live/keys.ts', 'const key = ({ client }: FastifyRequest) => client.address'],
    message: 'the address of a client is request.client',
  },
  {
    title: 'SQL is allowed in stores only: the query builder',
    rule: checkRestrictedCode,
    bad: ['server/chats/chat-routes.ts', "\nawait db.selectFrom('chat').execute()"],
    good: ['server/chats/chat-store.ts', "await db.selectFrom('chat').execute()"],
    message: 'chat-routes.ts:2: SQL is allowed',
  },
  {
    title: 'SQL is allowed in stores only: as text',
    rule: checkRestrictedCode,
    bad: ['server/chats/list-chats.ts', 'await sql<Row>`select 1`.execute(db)'],
    good: ['server/db/dialect.ts', 'await sql<Row>`select 1`.execute(db)'],
    message: 'SQL is allowed',
  },
  {
    title: 'only server/access knows whose rows are whose: the query builder',
    rule: checkRestrictedCode,
    bad: ['server/chats/chat-store.ts', "db.selectFrom('chats').where('c.user_id', '=', user.id)"],
    good: [
      'server/bots/bot-store.ts',
      "db.selectFrom('chats').where(readable(actor, 'chats')).onConflict(columns(['user_id', 'name']))",
    ],
    message: 'a store does not compare user_id',
  },
  {
    title: 'only server/access knows whose rows are whose: as text',
    rule: checkRestrictedCode,
    bad: ['server/chats/chat-store.ts', 'sql`select id from chats where user_id = ${user.id}`'],
    good: ['server/access/of-user-sql.ts', 'sql`user_id = ${user.id}`'],
    message: 'a store does not compare user_id',
  },
  {
    title: 'outgoing requests are allowed in some folders only: fetch',
    rule: checkRestrictedCode,
    bad: ['server/connectors/read-icon.ts', 'const answer = await fetch(address)'],
    good: [
      'server/connectors/call-tool.ts',
      'const answer = await client.fetch(address)\nprefetch()\nrefetch(1)',
    ],
    message: 'outgoing requests',
  },
  {
    title: 'outgoing requests are allowed in some folders only: undici and node:http',
    rule: checkRestrictedCode,
    bad: ['server/bots/ping-bot.ts', "import { request } from 'node:https'"],
    good: [
      'server/chats/list-chats.ts',
      "import type { IncomingMessage } from 'node:http'\nimport { isIP } from 'node:net'",
    ],
    message: 'outgoing requests',
  },
  {
    title: 'outgoing requests are allowed in some folders only: the browser',
    rule: checkRestrictedCode,
    bad: ['web/features/chat/send-message.ts', "await fetch('/api/chat')"],
    good: ['web/lib/api/api-client.ts', "await fetch('/api/chat')"],
    message: 'outgoing requests',
  },
  {
    title: 'state is not cloned through JSON',
    rule: checkRestrictedCode,
    bad: ['web/features/chat/copy.ts', 'const next = JSON.parse(JSON.stringify(chat))'],
    good: ['web/features/chat/read.ts', 'const next = JSON.parse(text)'],
    message: 'never cloned',
  },
  {
    title: 'state is not cloned with structuredClone',
    rule: checkRestrictedCode,
    bad: ['server/chats/copy-chat.ts', 'const next = structuredClone(chat)'],
    good: ['server/chats/copy-chat.test.ts', 'const next = structuredClone(chat)'],
    message: 'never cloned',
  },
  {
    title: 'colours are tokens',
    rule: checkRestrictedCode,
    bad: ['web/features/chat/note.tsx', 'const look = "text-[#1c1b1a]"'],
    good: ['web/features/chat/other-note.tsx', 'const look = "text-ink"'],
    message: 'tokens.css',
  },
  {
    title: 'radii and motion are tokens',
    rule: checkRestrictedCode,
    bad: ['web/app/layout/bar.tsx', 'const look = "rounded-[6px]"'],
    good: ['web/app/layout/other-bar.tsx', 'const look = "rounded-inner max-w-[85%]"'],
    message: 'tokens.css',
  },
  {
    title: 'primitives take no class names: as a prop',
    rule: checkRestrictedCode,
    bad: ['web/ui/button/button.tsx', 'interface Props { readonly className?: string }'],
    good: ['web/features/chat/row.tsx', 'interface Props { readonly className?: string }'],
    message: 'give it a variant',
  },
  {
    title: 'primitives take no class names: among the props of an element',
    rule: checkRestrictedCode,
    bad: ['web/ui/button/button.tsx', 'function Button({ look, className, ...rest }) {}'],
    good: ['web/ui/button/other-button.tsx', 'const button = <button className="p-1" />'],
    message: 'give it a variant',
  },
  {
    title: 'routes have a test beside them',
    rule: checkRouteTests,
    bad: ['server/chats/chat-routes.ts', ''],
    good: ['server/chats/chat-store.ts', ''],
    message: 'no test beside it',
  },
]

describe('the rules of the architecture', () => {
  it.each(cases)('$title', ({ rule, bad, good, message }) => {
    const problems = rule(tree(Object.fromEntries([bad, good])))
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(bad[0])
    expect(problems[0]).toContain(message)
  })

  it('accepts routes with a test beside them', () => {
    expect(
      checkRouteTests(tree({ 'server/a/a-routes.ts': '', 'server/a/a-routes.test.ts': '' })),
    ).toStrictEqual([])
  })
})

describe('the paths in documents', () => {
  /**
   * @param {Record<string, string>} documents
   * @param {(root: string) => string[]} [rule]
   */
  function check(documents, rule = checkDocPaths) {
    const root = mkdtempSync(join(tmpdir(), 'yonder-docs-'))
    mkdirSync(join(root, 'docs/decisions'), { recursive: true })
    mkdirSync(join(root, 'server/chats'), { recursive: true })
    writeFileSync(join(root, 'server/app.ts'), '')
    writeFileSync(join(root, 'server/chats/chat-tree.ts'), '')
    for (const [path, text] of Object.entries(documents)) writeFileSync(join(root, path), text)
    const problems = rule(root)
    rmSync(root, { recursive: true })
    return problems
  }

  it('refuses a path that does not exist, and accepts folders, files and numbers to fill in', () => {
    const problems = check({
      'README.md': '`server/app.ts`, `server/` and `server/NNNN-name.ts`',
      'docs/decisions/001.md': 'See `server/gone.ts` and `DATA_DIR/file`.',
    })
    expect(problems).toStrictEqual(['docs/decisions/001.md: server/gone.ts does not exist'])
  })

  it('looks for a file without a folder in the folder before it, only in tables', () => {
    const problems = check({
      'README.md': '`server/app.ts` uses `chat-tree.ts`.',
      'docs/map.md': '| `server/app.ts` | `server/chats/`, `chat-tree.ts`, `app.ts` | `*-store.ts` |',
    })
    expect(problems).toStrictEqual(['docs/map.md: server/chats/app.ts does not exist'])
  })

  it('refuses a link to a page or a heading that does not exist', () => {
    const documents = {
      'README.md':
        '# A, b & c\n[here](#a-b--c) [there](docs/map.md#one) [gone](docs/gone.md) [site](https://a.b/#c)',
      'docs/map.md': '## One\n[back](../README.md) [two](#two) [`one`](#one)',
    }
    expect(check(documents, checkDocLinks)).toStrictEqual([
      'README.md: the link (docs/gone.md) leads nowhere',
      'docs/map.md: the link (#two) leads nowhere',
    ])
  })

  it('says when a packed document or an address in the code leads out of the package', () => {
    const documents = {
      'package.json': '{"files":["docs/a.md","docs/decisions"],"homepage":"https://github.com/o/r"}',
      'README.md': '[a](docs/a.md) [c](docs/c.md#x) <img src="docs/gone.png"> [site](https://a.b/c)',
      'docs/a.md': '[b](decisions/b.md)',
      'docs/decisions/b.md': '[up](../a.md#a)',
      'docs/c.md': '[gone](gone.md)',
    }
    const blob = 'https://github.com/o/r/blob/main'
    const sources = tree({ 'server/a.ts': `const a = '${blob}/docs/a.md', b = '${blob}/docs/gone.md#x'` })
    expect(check(documents, (root) => checkPackedLinks(root, sources))).toStrictEqual([
      'README.md is packed, and leads to docs/c.md, which is not',
      'README.md is packed, and leads to docs/gone.png, which is not',
      `server/a.ts: ${blob}/docs/gone.md leads nowhere`,
    ])
  })
})

describe('regular expressions', () => {
  /**
   * @param {string} code
   * @param {import('./pattern-exemptions.mjs').Exemption[]} [exemptions]
   */
  const check = (code, exemptions = []) =>
    checkPatterns(tree({ 'server/lib/text.ts': code }), new Set(), exemptions)

  it('accepts one that is linear, and returns it', () => {
    const { problems, linear } = check('export const isWord = /^\\w+$/u\n')
    expect(problems).toEqual([])
    expect([...linear]).toEqual(['/^\\w+$/u'])
  })

  it.each([
    ['/^(a+)+$/', 'exponential'],
    ['/x\\s+$/', undefined],
    ['/\\s+$/', '2nd degree polynomial'],
    ['/()(-?\\d+(?:\\.\\d+)?)\\s*[+x*]\\s*(-?\\d+(?:\\.\\d+)?)/', '2nd degree polynomial'],
  ])('measures the worst case of %s', (pattern, summary) => {
    const { problems } = check(`export const found = ${pattern}.test(text)\n`)
    if (summary === undefined) expect(problems).toEqual([])
    else expect(problems.join()).toContain(`server/lib/text.ts:1: ${pattern} takes ${summary} time`)
  })

  it('refuses one that is built at run time', () => {
    const { problems } = check('\nexport const found = new RegExp(word).test(text)\n')
    expect(problems.join()).toContain('server/lib/text.ts:2: new RegExp(word) is built at run time')
  })

  it('accepts one with an exemption, and refuses an exemption that is not used', () => {
    const exemption = { path: 'server/lib/text.ts', pattern: '/\\s+$/', reason: 'The text is short.' }
    expect(check('export const found = /\\s+$/.test(text)\n', [exemption]).problems).toEqual([])
    expect(check('export const found = true\n', [exemption]).problems.join()).toContain(
      'does not contain /\\s+$/ any more',
    )
  })
})
