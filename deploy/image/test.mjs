import { provideDebianBase } from './debian-base.mjs'
import { buildImage, findEngine } from './engine.mjs'
import { testImage } from './smoke-test.mjs'

// Builds the image and tests it in containers. With BASE_IMAGE=debian the base is made from the packages of Debian and
// npm.
const engine = await findEngine()
const base = process.env['BASE_IMAGE']
await buildImage(engine, base === 'debian' ? await provideDebianBase(engine) : base)
await testImage(engine)
