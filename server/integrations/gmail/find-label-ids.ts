import { AppError } from '../../lib/app-error.ts'
import type { GmailClient } from './gmail-client.ts'

/**
 * The ids of labels, by their names in whichever case.
 * @throws AppError `invalid_request` naming the one that is not there
 */
export async function findLabelIds(
  { api }: GmailClient,
  names: readonly string[],
): Promise<(name: string) => string> {
  const { data } = await api.labels.list({ userId: 'me' })
  const ids = new Map((data.labels ?? []).map(({ id, name }) => [name?.toLowerCase() ?? '', id ?? '']))
  const missing = names.find((name) => !ids.get(name.trim().toLowerCase()))
  if (missing !== undefined) {
    throw new AppError(
      'invalid_request',
      `There is no label "${missing.slice(0, 100)}". list_labels tells which there are. Nothing was done.`,
    )
  }
  return (name) => ids.get(name.trim().toLowerCase()) ?? ''
}
