import { setPriority } from 'node:os'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import type { ChildOutput, ChildTask } from './child-protocol.ts'
import { problems } from './problems.ts'

/*
 * The process that reads one file for `open-file-reader.ts`: its bytes come from the standard input, what was read goes
 * to the standard output, and then the process ends. A thread does the work, so that this one is always free to end it:
 * when it takes too much memory, of which the limit of V8 counts only a part, and when the server has died.
 */
const task = JSON.parse(process.argv[2] ?? '') as ChildTask
const watchMs = 50

try {
  // Requests of users go first.
  setPriority(5)
} catch {
  // A service manager may forbid it, as our unit for systemd does.
}
// Copied, because the memory of a small buffer is shared with others and cannot be moved to the thread.
const bytes = new Uint8Array(await buffer(process.stdin))
watch()
setInterval(watch, watchMs)
const worker = new Worker(new URL(`./reading-worker${import.meta.url.slice(-3)}`, import.meta.url), {
  workerData: task,
  // What is left is for this thread and for the bytes of the file.
  resourceLimits: { maxOldGenerationSizeMb: task.maxMemoryMb * 0.7, maxYoungGenerationSizeMb: 32 },
  stderr: true,
})
worker.once('message', answer)
worker.once('error', ({ code }: NodeJS.ErrnoException) => {
  answer({ answer: { problem: problems[code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'tooMuchMemory' : 'died'] } })
})
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- worker threads have no origin
worker.postMessage(bytes, [bytes.buffer])

function watch(): void {
  // Windows does not tell that the parent has died, so there only the time ends the process.
  if (process.ppid !== task.serverPid || performance.now() > 2 * task.maxMs) process.exit(1)
  if (process.memoryUsage.rss() > task.maxMemoryMb * 1024 * 1024)
    answer({ answer: { problem: problems.tooMuchMemory } })
}

/** Answers once: what comes after that is cut off by the end of the process. */
function answer(output: ChildOutput): void {
  if (process.stdout.writableEnded) return
  process.stdout.write(`${JSON.stringify(output.answer)}\n`)
  process.stdout.end(output.picture ?? '', () => process.exit())
}
