import { ModelTool } from '@yonder/contract/connector'
import { describe, expect, it } from 'vitest'
import { engines } from '../../testing/database/test-database.ts'
import { ConnectorScene, connectorSteps } from '../../testing/mcp/connector-steps.ts'

describe.each(engines)('what a model reads of a tool on %s', (engine) => {
  const scene = new ConnectorScene(engine)
  const { list, create, storeTools } = connectorSteps(scene)
  const read = async (connector: string, tool: string, client = scene.ada) =>
    client.get(`/api/mcp-server/${encodeURIComponent(connector)}/tools/${encodeURIComponent(tool)}`)

  it('is the name, the description and the parameters that models are offered', async () => {
    const [connector] = await list()
    const tool = ModelTool.parse((await read('default', 'calculate')).json())
    expect(tool).toMatchObject({ name: 'default__calculate', offered: true })
    expect(JSON.parse(tool.parameters ?? '')).toMatchObject({
      type: 'object',
      properties: { expression: { type: 'string', description: expect.any(String) as string } },
      required: ['expression'],
    })
    expect(tool.description).not.toBe('')
    expect(tool.fingerprint).toBe(connector?.tools.find(({ name }) => name === 'calculate')?.fingerprint)
  })

  it('is described alone for a tool that is not offered now, whatever its name', async () => {
    await create({})
    await storeTools('Tools', { name: 'a/b%?#', description: 'Does it.' })
    expect((await read('Tools', 'a/b%?#')).json()).toMatchObject({
      name: expect.stringMatching(/^[\w-]+$/) as string,
      description: 'Does it.',
      parameters: '{"type":"object","properties":{}}',
      offered: false,
    })
  })

  it('is 404 for an unknown tool, and for the tool of another user', async () => {
    await create({})
    await storeTools('Tools', { name: 'act', description: 'Acts.' })
    expect((await read('Tools', 'other')).statusCode).toBe(404)
    const grace = await scene.test.signIn('Grace')
    expect((await read('Tools', 'act', grace)).statusCode).toBe(404)
  })
})
