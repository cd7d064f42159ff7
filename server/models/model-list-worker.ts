import { serveJobs } from '../lib/serve-jobs.ts'
import { readModelList } from './read-model-list.ts'

/* The worker thread of `list-models.ts`: a list of two megabytes takes a tenth of a second, and more when it is hostile. */

serveJobs(readModelList)
