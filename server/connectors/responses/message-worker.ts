import { serveJobs } from '../../lib/serve-jobs.ts'
import { readMessage } from './read-message.ts'

/* The worker thread of `large-message-reader.ts`. */
serveJobs(readMessage)
