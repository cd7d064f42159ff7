import { z } from 'zod'
import { statusOf, wasRepeated } from '../google/google-error.ts'
import { googleTool } from '../google/google-tool.ts'
import { requireLine } from '../google/require-plain-text.ts'
import type { GmailClient } from './gmail-client.ts'

export const createLabel = googleTool({
  name: 'create_label',
  title: 'Create a label',
  description: 'Makes a new label. A name such as Trips/2026 puts it under Trips.',
  effect: 'adds',
  input: z.object({ name: z.string().min(1).max(225) }),
  async run({ api }: GmailClient, { name }) {
    const label = requireLine('name', name)
    try {
      await api.labels.create({ userId: 'me', requestBody: { name: label } })
    } catch (error) {
      if (statusOf(error) !== 409) throw error
      // The request before this one may have made it.
      if (!wasRepeated(error)) return `There is a label "${label}" already.`
    }
    return `The label "${label}" is there.`
  },
})
