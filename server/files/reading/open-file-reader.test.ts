import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { makeDocx, makePptx, makeXlsx, paragraph, shape } from '../../testing/files/make-office.ts'
import { makePdf, makePdfOfObjects } from '../../testing/files/make-pdf.ts'
import { openFileReader } from './open-file-reader.ts'

const signal = new AbortController().signal
const reader = openFileReader()
afterAll(() => reader.close())

async function* only(bytes: Buffer | string) {
  yield Buffer.from(bytes)
}
/** A file that does not end until it is told to. */
function endless() {
  const began = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const bytes = async function* () {
    yield Buffer.from('begin ')
    began.resolve()
    await end.promise
    yield Buffer.from('end')
  }
  return {
    bytes: bytes(),
    began: began.promise,
    end: () => end.resolve(),
    fail: (error: Error) => end.reject(error),
  }
}
/** The ids of the processes that this process, or another one, has started to read files. */
function listChildren(parent = process.pid): readonly number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return stdout
    .split('\n')
    .filter((line) => line.includes('document-process') && Number(line.trim().split(/\s+/)[1]) === parent)
    .map((line) => Number.parseInt(line, 10))
}

describe('reads', () => {
  it('a PDF page by page', async () => {
    const bytes = makePdf('Hello', {
      content: 'BT /F 12 Tf 72 700 Td (first line) Tj 0 -20 Td (second line) Tj ET',
    })
    expect(await reader.readText('ada', 'pdf', only(bytes), signal)).toEqual({
      document: { unit: 'page', parts: ['Hello', 'first line\nsecond line'], total: 2 },
    })
  })

  it('ligatures and radicals of a PDF as the characters that are written', async () => {
    const map =
      '1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <41> <FB01> <42> <2F00> endbfchar'
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R >>',
      { dictionary: '', stream: Buffer.from('BT /F 12 Tf (AB\\262) Tj ET') },
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 6 0 R >>',
      { dictionary: '', stream: Buffer.from(map) },
    ])
    expect(await reader.readText('ada', 'pdf', only(bytes), signal)).toMatchObject({
      document: { parts: ['fi一²'] },
    })
  })

  it('what was filled into the form of a PDF', async () => {
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Annots [4 0 R] >>',
      '<< /Type /Annot /Subtype /Widget /FT /Tx /T (Name) /V (Ada) /Rect [0 0 9 9] /P 3 0 R >>',
    ])
    expect(await reader.readText('ada', 'pdf', only(bytes), signal)).toEqual({
      document: { unit: 'page', parts: ['Form fields:\nName: Ada'], total: 1 },
    })
  })

  it('the text of a PDF whose Japanese font is not in it', async () => {
    const text = Buffer.from('日本語', 'utf16le').swap16().toString('hex')
    const bytes = makePdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R >>',
      { dictionary: '', stream: Buffer.from(`BT /F 12 Tf <${text}> Tj ET`) },
      '<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-H /DescendantFonts [6 0 R] >>',
      '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor 7 0 R >>',
      '<< /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 6 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /StemV 80 >>',
    ])
    expect(await reader.readText('ada', 'pdf', only(bytes), signal)).toEqual({
      document: { unit: 'page', parts: ['日本語'], total: 1 },
    })
  })

  it.each([
    ['docx', makeDocx(paragraph('Hello')), { unit: 'line', parts: ['Hello'], total: 1 }],
    [
      'xlsx',
      makeXlsx([{ name: 'S', rows: '<row><c><v>1</v></c></row>' }]),
      { unit: 'sheet', parts: ['Sheet: S\n1'], total: 1 },
    ],
    ['pptx', makePptx([{ shapes: shape('title', 'Hello') }]), { unit: 'slide', parts: ['Hello'], total: 1 }],
    ['text', Buffer.from('a\nb\n'), { unit: 'line', parts: ['a\nb'], total: 2 }],
  ] as const)('%s', async (kind, bytes, document) => {
    expect(await reader.readText('ada', kind, only(bytes), signal)).toEqual({ document })
  })
})

describe('a process that reads', () => {
  it('may be killed, which is a problem of its file alone', async () => {
    const file = endless()
    const outcome = reader.readText('ada', 'text', file.bytes, signal)
    await file.began
    const other = reader.readText('bob', 'text', only('unharmed'), signal)
    for (const pid of listChildren()) process.kill(pid, 'SIGKILL')
    expect(await outcome).toEqual({ problem: expect.stringContaining('ended unexpectedly') as string })
    await other
    expect(await reader.readText('ada', 'text', only('next'), signal)).toMatchObject({
      document: { parts: ['next'] },
    })
  })

  it('is ended when the file is no longer wanted, and when its bytes cannot be read', async () => {
    const aborted = endless()
    const failed = endless()
    const stop = new AbortController()
    const first = reader.readText('ada', 'text', aborted.bytes, stop.signal)
    const second = reader.readText('bob', 'text', failed.bytes, signal)
    await Promise.all([aborted.began, failed.began])
    const [notWanted, broken] = [new Error('not wanted'), new Error('the disk is broken')]
    stop.abort(notWanted)
    failed.fail(broken)
    expect(await Promise.allSettled([first, second])).toEqual([
      { status: 'rejected', reason: notWanted },
      { status: 'rejected', reason: broken },
    ])
    aborted.end()
    expect(listChildren()).toEqual([])
  })

  it('ends when the reader is closed', async () => {
    const closing = openFileReader()
    const file = endless()
    const outcome = closing.readText('ada', 'text', file.bytes, signal)
    await file.began
    file.end()
    const [closed] = await Promise.allSettled([outcome, closing.close()])
    expect(closed.status === 'rejected' || 'document' in closed.value).toBe(true)
    await expect(closing.readText('ada', 'text', only('late'), signal)).rejects.toThrow('shutting down')
  })

  it('ends when the server has died, although it is busy', async () => {
    const [reading, making] = ['./open-file-reader.ts', '../../testing/files/make-pdf.ts'].map(
      (module) => new URL(module, import.meta.url).href,
    )
    const server = spawn(
      process.execPath,
      [
        '--import=tsx',
        '--input-type=module',
        '--eval',
        `import { openFileReader } from '${reading}'
        import { makeEndlessPdf } from '${making}'
        const bytes = async function* () { yield makeEndlessPdf(); console.log('began') }
        const reader = openFileReader({ limits: { maxMs: 600_000, maxMemoryMb: 2_000 } })
        await reader.readText('ada', 'pdf', bytes(), new AbortController().signal)`,
      ],
      { cwd: new URL('../..', import.meta.url), stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(server.stdout, 'data')
    const [child] = listChildren(server.pid)
    expect(child).toBeDefined()
    server.kill('SIGKILL')
    await once(server, 'close')
    await vi.waitFor(() => expect(() => process.kill(child ?? 0, 0)).toThrow('ESRCH'))
  })
})

describe('a library for pictures', () => {
  /** Tells what it may do by the size of every picture. */
  const makeLibrary = (version: string) => `
    const permission = process.permission
    const rights = ['fs.write', 'child'].filter((right) => permission.has(right)).length
    const { env } = process
    const size = { width: 1 + rights, height: 1 + Object.keys(env).length }
    export default Object.assign(
      () => ({ metadata: async () => ({ pages: 2, autoOrient: size }), stats: async () => undefined }),
      { versions: { sharp: '${version}' }, block() {}, unblock() {}, concurrency() {}, cache() {} },
    )`
  const check = async (version: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'yonder-library-'))
    const library = join(folder, 'sharp.mjs')
    await writeFile(library, makeLibrary(version))
    const withLibrary = openFileReader({ library })
    try {
      return await withLibrary.checkPicture('ada', only('picture'), signal)
    } finally {
      await withLibrary.close()
      await rm(folder, { recursive: true })
    }
  }

  it('runs without the environment, and may not write files or start programs', async () => {
    expect(await check('0.35.0')).toEqual({ picture: { width: 1, height: 1 } })
  })

  it('is not used when it is old', async () => {
    expect(await check('0.34.5')).toBeUndefined()
  })

  it('is not needed', async () => {
    const without = openFileReader({ library: null })
    expect(await without.checkPicture('ada', only('picture'), signal)).toBeUndefined()
  })
})
