import { expect, it } from 'vitest'
import { collectBytes, oneBuffer } from '../db/files/file-bytes.ts'
import { openTestDatabase } from '../testing/database/test-database.ts'
import { addFile } from '../testing/factories/files.ts'
import { addUser } from '../testing/factories/users.ts'
import { noteBytes } from './file-store.ts'
import { removeUnknown } from './remove-unused.ts'

it('deletes the bytes that a restored database does not know, and none that are just written', async () => {
  const database = await openTestDatabase('sqlite')
  const { db, bytes } = database
  await addUser(db, { id: 'ada' })
  await addFile(database, { userId: 'ada' }, { id: 'known' })
  await bytes.write('unknown', oneBuffer(Buffer.from('cat')))
  await noteBytes(db, 'uploaded', 1)
  const upload = async function* () {
    yield Buffer.from('first ')
    await removeUnknown(database)
    yield Buffer.from('second')
  }
  await bytes.write('uploaded', upload())
  const read = async (id: string) => (await collectBytes(bytes.read(id))).toString()
  expect(await Promise.all(['known', 'unknown', 'uploaded'].map(read))).toEqual(['cat', '', 'first second'])
  await database.close()
})
