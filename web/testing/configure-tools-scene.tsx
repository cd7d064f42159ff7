import type { Connector } from '@yonder/contract/connector'
import { ConnectorsScene, dialogOf } from './connectors-scene.tsx'
import { makeConnector, makeTool } from './wire-objects.ts'

const tools = ['read', 'write', 'list'].map((name) => makeTool(name))

/** A scene with one connector, which is connected and has three tools. */
export function toolsScene(part: Partial<Connector> = {}) {
  return new ConnectorsScene([makeConnector({ name: 'Files', status: 'connected', tools, ...part })])
}

/** Opens the dialog that configures the tools of that connector. */
export async function openTools(scene: ConnectorsScene) {
  await scene.press('Configure', 'Files')
  return dialogOf('Configure Tools - Files')
}
