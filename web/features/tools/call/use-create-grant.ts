import type { Grant, GrantInput } from '@yonder/contract/grant'
import { readReason } from '../../../lib/api/api-error.ts'
import { useAction } from '../../../lib/api/use-action.ts'

/** Allows a tool with limits. `what` says how far, for the message to the user. */
export function useCreateGrant() {
  return useAction({
    call: (api, { what: _, ...input }: GrantInput & { readonly what: string }) =>
      api.post<Grant>('/api/grants', input),
    success: (_grant, { tool, what }) => `"${tool}" now runs without asking ${what}`,
    failure: (error) => `The tool could not be allowed: ${readReason(error)}`,
  })
}
