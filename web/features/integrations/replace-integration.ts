import type { Integration } from '@yonder/contract/integration'

/** The list with another state of one integration, which had `name` until now. */
export function replaceIntegration(
  integrations: readonly Integration[] = [],
  name: string,
  changed: Integration,
): readonly Integration[] {
  return integrations.map((integration) => (integration.name === name ? changed : integration))
}
