import { serveJobs } from '../../lib/serve-jobs.ts'
import { parseDefinition } from '../tools/tool-store.ts'
import { readArguments } from './tool-call.ts'
import { validateArguments } from './validate-arguments.ts'

/** The definition of a tool and the arguments of a call, as JSON. */
export interface ArgumentsText {
  readonly definition: string
  readonly text: string
}

/* The worker thread of `check-arguments.ts`. Returns null when the schema cannot be used. */
serveJobs(({ definition, text }: ArgumentsText) => {
  try {
    const schema = parseDefinition(definition).inputSchema
    return validateArguments({ schema, arguments: readArguments(text) }, true)
  } catch {
    return null
  }
})
