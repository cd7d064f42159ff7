import { findNearest } from '../lib/find-nearest.ts'
import { Settings } from './settings.ts'

const settingNames: readonly string[] = Object.keys(Settings.shape)

/** What else belongs into `.env`: settings of Node, of what it is run with, of PostgreSQL's driver, and of compose.yaml. */
const otherNames =
  /^(NODE_\w+|NODE|npm_\w+|(HTTPS?|FTP|RSYNC|SOCKS|NO|ALL)_PROXY|TZ|LANG|LC_\w+|SSL_CERT_(FILE|DIR)|PG[A-Z]+|DEBUG|FORCE_COLOR|NO_COLOR|COMPOSE_\w+|DOMAIN|POSTGRES_PASSWORD|PROXY_NETWORK|TEST_DATABASE_URL|CHROMIUM_PATH)$/i

/** Beginnings that only settings of Yonder have, so that any other name with one is a mistake. */
const ownBeginnings =
  /^(YONDER_|OIDC_|RATE_LIMIT|DEFAULT_(MODEL|BOT)|ALLOWED_(EMAIL|PRIVATE)|GMAIL_|HSTS_|TLS_)/
/**
 * Names the settings that have no effect because Yonder has none of that name, each with the one that was probably
 * meant. `fileNames` are those in `.env`, where every unknown name is a mistake. In the environment, which has
 * variables of other programs, only a name that is like one of Yonder's is.
 */
export function findUnknownSettings(
  environment: Readonly<Record<string, string | undefined>>,
  fileNames: readonly string[],
): readonly string[] {
  const inFile = new Set(fileNames)
  const others = Object.keys(environment).filter((name) => !isServiceLink(name, environment[name]))
  return [...new Set([...fileNames, ...others])].flatMap((name) => {
    if (settingNames.includes(name) || otherNames.test(name)) return []
    const isMistake = inFile.has(name) || ownBeginnings.test(name)
    const meant = findMeant(name) ?? (isMistake ? guessMeant(name) : undefined)
    if (!isMistake && meant === undefined) return []
    const place = inFile.has(name) ? ' in .env' : ''
    const advice =
      meant === undefined ? 'docs/operations/settings.md lists all settings.' : `Did you mean ${meant}?`
    return [`${name}${place} is not a setting of Yonder and has no effect. ${advice}`]
  })
}

/** Whether Kubernetes has set a variable for a service with the name `yonder`. */
function isServiceLink(name: string, value: string | undefined): boolean {
  return /_SERVICE_(HOST|PORT)|_PORT_\d/.test(name) || value?.startsWith('tcp://') === true
}

/** The setting that is most like a name; undefined when none is. */
function guessMeant(name: string): string | undefined {
  const words = wordsOf(name)
  return (
    findNearest(name.toUpperCase(), settingNames) ??
    longNames.find((one) => words.length > 1 && words.every((word) => wordsOf(one).includes(word)))
  )
}

/** The setting that a name stands for, other than by chance; undefined when it may belong to another program. */
function findMeant(name: string): string | undefined {
  const plain = plainName(name)
  const same = settingNames.find((one) => plainName(one) === plain)
  // `port` and `host` in small letters are variables of shells.
  if (same !== undefined) return same.length > 4 || name === name.toUpperCase() ? same : undefined
  const words = wordsOf(name)
  return (
    longNames.find((one) => [`${one}_FILE`, `${one}_PATH`].includes(name)) ??
    settingNames.find((one) => isSameWords(wordsOf(one), words)) ??
    findNearest(name.toUpperCase(), longNames, 5) ??
    // Of a short name, only two letters are exchanged: `PROT`.
    settingNames.find((one) => sortedLetters(one) === sortedLetters(name))
  )
}

/** Names that hardly any other program has. */
const longNames = settingNames.filter((name) => name.length > 4)

function sortedLetters(name: string): string {
  return Array.from(name).toSorted().join('')
}

/** A name without what is often added or left out. */
function plainName(name: string): string {
  return name
    .toUpperCase()
    .replace(/^YONDER[_-]?/, '')
    .replace(/[^A-Z0-9]/g, '')
}

function wordsOf(name: string): readonly string[] {
  return name.toUpperCase().split(/[_.-]+/)
}

/** Whether both have the same words in any order and in any form: `TRUST_PROXY` and `TRUSTED_PROXIES`. */
function isSameWords(words: readonly string[], others: readonly string[]): boolean {
  if (words.length < 2 || words.length !== others.length) return false
  const rest = [...others]
  return words.every((word) => {
    const at = rest.findIndex((other) => isSameWord(word, other))
    if (at !== -1) rest.splice(at, 1)
    return at !== -1
  })
}

function isSameWord(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return (
    short.length >= 3 && (long.startsWith(short) || (short.length > 4 && long.startsWith(short.slice(0, 4))))
  )
}
