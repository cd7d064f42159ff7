import { parentPort, workerData } from 'node:worker_threads'
import type { ReadDocument } from '../read-outcome.ts'
import type { ChildOutput, ChildTask } from './child-protocol.ts'
import { LimitedText } from './limited-text.ts'
import { problems, toProblem } from './problems.ts'

/* The thread of `document-process.ts` that reads the file. Libraries are loaded for the kind that is read. */
const task = workerData as ChildTask

// Nothing here makes requests. Where Node can deny the network to a process, the server lets it do so, too.
for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name)
parentPort?.once('message', (bytes: Uint8Array<ArrayBuffer>) => void answer(bytes))

async function answer({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Promise<void> {
  const output = await readFile(Buffer.from(buffer, byteOffset, length))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- worker threads have no origin
  parentPort?.postMessage(output)
}

async function readFile(file: Buffer): Promise<ChildOutput> {
  try {
    if (task.kind === 'picture')
      return await (await import('./check-picture.ts')).checkPicture(file, task.library)
    const document = await readDocument(file, task)
    const isEmpty = document.parts.every((part) => part === '')
    return { answer: isEmpty ? { problem: problems.empty } : { document } }
  } catch (error) {
    return { answer: toProblem(error) }
  }
}

async function readDocument(
  file: Buffer,
  { kind, maxChars, maxMs }: Exclude<ChildTask, { kind: 'picture' }>,
): Promise<ReadDocument> {
  const text = new LimitedText(maxChars)
  switch (kind) {
    case 'pdf':
      // The pages until then are better than nothing, which is what the server's limit leaves.
      return (await import('./read-pdf.ts')).readPdf(file, text, maxMs / 2)
    case 'docx':
      return (await import('./read-docx.ts')).readDocx(file, text)
    case 'xlsx':
      return (await import('./read-xlsx.ts')).readXlsx(file, text)
    case 'pptx':
      return (await import('./read-pptx.ts')).readPptx(file, text)
    case 'text':
      return (await import('./read-text.ts')).readText(file, text)
  }
}
