import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { oldestNode, oldestStartingNode } from '../bin/node-version.mjs'
import { rootFolder } from '../bin/run-command.mjs'

/** @param {string} path */
const read = (path) => parse(readFileSync(join(rootFolder, '.github', path), 'utf8'))

it('CI tests the oldest Node and the one for development, and the commands on the oldest that can start', () => {
  const { jobs } = read('workflows/ci.yml')
  const [oldest, development] = jobs.test.strategy.matrix.node
  expect(`${oldest}.0`).toBe(oldestNode)
  expect(development).toBe('24')
  expect(`${jobs['old-node'].steps[1].with['node-version']}.0`).toBe(oldestStartingNode)
  expect(jobs.test.steps.at(-1).run).toContain('.ci/run')
})

it('the issue form has fields with an id and a label', () => {
  const { name, description, body } = read('ISSUE_TEMPLATE/bug.yml')
  expect([name, description].every((text) => typeof text === 'string')).toBe(true)
  for (const { id, type, attributes } of body) expect([id, type, attributes.label]).not.toContain(undefined)
})
