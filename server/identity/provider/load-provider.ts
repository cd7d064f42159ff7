import type * as Library from 'oidc-provider'

/** What the library prints on Node 20, where everything used here is tested. */
const runtimeNotice = 'Unsupported runtime'

/** Loads the provider only where it is used: it costs a tenth of a second and 17 MB. */
export async function loadProvider(): Promise<typeof Library> {
  // The library has no switch for its notice; every other warning passes.
  // oxlint-disable no-console
  const warn = console.warn
  console.warn = (...parts: unknown[]) => {
    if (!String(parts[0]).includes(runtimeNotice)) warn(...parts)
  }
  try {
    return await import('oidc-provider')
  } finally {
    console.warn = warn
  }
  // oxlint-enable no-console
}
