import { userEvent } from '@testing-library/user-event'
import type { ModelTool } from '@yonder/contract/connector'
import { describe, expect, it } from 'vitest'
import { openTools, toolsScene } from '../../../testing/configure-tools-scene.tsx'
import { buttonOf } from '../../../testing/connectors-scene.tsx'
import { json } from '../../../testing/scripted-api.ts'
import { makeTool } from '../../../testing/wire-objects.ts'

const modelTool: ModelTool = {
  fingerprint: 'f1',
  name: 'files__read',
  description: 'Reads a file.',
  parameters: JSON.stringify({
    type: 'object',
    properties: {
      path: {
        type: 'string',
        description: 'Which file.',
        enum: ['a', 'b'],
        pattern: '^/',
        default: '/tmp',
      },
      lines: { type: 'array', items: { type: 'integer', minimum: 1 } },
    },
    required: ['path'],
    dependentRequired: { lines: ['path'] },
  }),
  google_parameters: null,
  offered: true,
}

describe('the tools', () => {
  it('are listed with name, title, description, and why a tool cannot be used (§2.68, §2.73)', async () => {
    const dialog = await openTools(
      toolsScene({
        tools: [
          makeTool('read', { title: 'Read a file', description: 'Reads it.' }),
          makeTool('odd', { problem: 'the definition of its parameters is too deep' }),
        ],
      }),
    )
    expect(dialog.getByText('Available Tools (2)')).toBeInTheDocument()
    expect(dialog.getByText('read')).toBeInTheDocument()
    expect(dialog.getByText('Read a file')).toBeInTheDocument()
    expect(dialog.getByText('Reads it.')).toBeInTheDocument()
    expect(
      dialog.getByText('This tool cannot be used: the definition of its parameters is too deep.'),
    ).toBeInTheDocument()
  })

  it("show the beginning of a long description, and all of it on 'Show all'", async () => {
    const description = `${'long '.repeat(100)}end`
    const dialog = await openTools(toolsScene({ tools: [makeTool('read', { description })] }))
    expect(dialog.queryByText(/end$/)).not.toBeInTheDocument()
    await userEvent.click(buttonOf('Show all', dialog))
    expect(dialog.getByText(/end$/)).toBeInTheDocument()
  })

  it('open what a model reads of them, and the schema as JSON', async () => {
    const scene = toolsScene({ tools: [makeTool('read', { fingerprint: 'f1' })] })
    scene.api.on('GET /api/mcp-server/Files/tools/read', () => json(modelTool))
    const dialog = await openTools(scene)
    await userEvent.click(buttonOf('What the model reads: read', dialog))
    expect(await dialog.findByText('files__read')).toBeVisible()
    for (const text of [
      'path',
      'string',
      'required',
      'Which file.',
      '"a", "b"',
      '"^/"',
      '"/tmp"',
      'each item',
    ])
      expect(dialog.getByText(text)).toBeVisible()
    expect(dialog.getByText('dependentRequired:')).toBeVisible()
    await userEvent.click(buttonOf('Schema as JSON', dialog))
    expect(dialog.getByLabelText('Schema as JSON').textContent).toBe(
      JSON.stringify(JSON.parse(modelTool.parameters ?? ''), null, 2),
    )
    expect(dialog.queryByText(/has changed/)).not.toBeInTheDocument()
  })

  it('show a note when the tool has changed in the meantime', async () => {
    const scene = toolsScene({ tools: [makeTool('read', { fingerprint: 'earlier' })] })
    scene.api.on('GET /api/mcp-server/Files/tools/read', () => json({ ...modelTool, offered: false }))
    const dialog = await openTools(scene)
    await userEvent.click(buttonOf('What the model reads: read', dialog))
    expect(await dialog.findByText(/^This tool has changed meanwhile/)).toBeVisible()
    expect(dialog.getByText(/^Models are not offered this tool now/)).toBeVisible()
  })

  it('are replaced by a hint to connect when there are none', async () => {
    const dialog = await openTools(toolsScene({ tools: [], status: 'disconnected' }))
    expect(dialog.getByText('Available Tools (0)')).toBeInTheDocument()
    expect(dialog.getByText('Connect it to see its tools.')).toBeInTheDocument()
  })
})
