/** Characters of a slug; what is left of a tool's name for models is the tool's own. */
const longest = 16

/**
 * The beginning of the names under which models know a connector's tools: short, of letters that every provider takes,
 * and none of those that are `taken`.
 */
export function slugName(name: string, taken: ReadonlySet<string>): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  const whole = /^[a-z]/.test(letters) ? letters : `c_${letters}`
  const first = whole.slice(0, longest).replace(/_+$/, '')
  for (let count = 2, slug = first; ; count++) {
    if (!taken.has(slug)) return slug
    slug = `${first.slice(0, longest - String(count).length - 1)}_${count}`
  }
}
