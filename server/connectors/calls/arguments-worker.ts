import { serveJobs } from '../../lib/serve-jobs.ts'
import { validateArguments, type ArgumentsToValidate } from './validate-arguments.ts'

/* The worker thread of `check-arguments.ts`. Returns null when the schema cannot be used. */
serveJobs((input: ArgumentsToValidate) => {
  try {
    return validateArguments(input, true)
  } catch {
    return null
  }
})
