/** Variants of a model at OpenRouter that have the same price and window as the model. */
const variants = /:(beta|nitro|floor|exacto|thinking)$/

/** The end of a name that selects a version: `-20250929`, `@20250929`, `-2025-08-07` or `-latest`. */
const snapshots = /(?:[-@]20\d{6}|-20\d\d-\d\d-\d\d|-latest)$/

/** Marks what a provider offers at no cost. Such a name never gets the prices of the model without it. */
const freeVariant = /:free$/

/** Whether a provider offers the model under this name at no cost. */
export function isFreeVariant(model: string): boolean {
  return freeVariant.test(model.trim().toLowerCase())
}

/**
 * The names under which a catalogue may list a model, without repeats and the most exact first: the name itself,
 * without a variant, also without the date of a snapshot, and the last two without the prefixes of providers.
 */
export function listModelNames(model: string): readonly string[] {
  const full = model.trim().toLowerCase()
  const plain = full.replace(variants, '')
  const short = plain.slice(plain.lastIndexOf('/') + 1)
  const names = [full, plain, plain.replace(snapshots, ''), short, short.replace(snapshots, '')]
  return [...new Set(names)].filter((name) => name !== '')
}

/** The name of the model that a free variant belongs to, or the name itself. */
export function withoutFreeVariant(model: string): string {
  return model.trim().toLowerCase().replace(freeVariant, '')
}
