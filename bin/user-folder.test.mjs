import { join } from 'node:path'
import { expect, it } from 'vitest'
import { userFolder } from './user-folder.mjs'

const home = '/home/ada'

it('the folder of the user is at the usual place of each system', () => {
  const local = { LOCALAPPDATA: 'C:/Users/ada/AppData/Local' }
  expect([
    userFolder('data', { platform: 'linux', env: {}, home }),
    userFolder('cache', { platform: 'linux', env: {}, home }),
    userFolder('data', { platform: 'darwin', env: {}, home }),
    userFolder('cache', { platform: 'darwin', env: {}, home }),
    userFolder('data', { platform: 'win32', env: local, home }),
    userFolder('cache', { platform: 'win32', env: {}, home }),
  ]).toEqual([
    join(home, '.local/share/yonder'),
    join(home, '.cache/yonder'),
    join(home, 'Library/Application Support/yonder'),
    join(home, 'Library/Caches/yonder'),
    join(local.LOCALAPPDATA, 'yonder/Data'),
    join(home, 'AppData/Local/yonder/Cache'),
  ])
})

it('an absolute path in XDG_DATA_HOME is used, and a relative one is ignored', () => {
  const at = (/** @type {string} */ path) =>
    userFolder('data', { platform: 'linux', env: { XDG_DATA_HOME: path }, home })
  expect([at('/srv/data'), at('data'), at('')]).toEqual([
    '/srv/data/yonder',
    '/home/ada/.local/share/yonder',
    '/home/ada/.local/share/yonder',
  ])
})
