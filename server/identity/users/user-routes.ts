import { UserInfo } from '@yonder/contract/identity'
import type { Api } from '../../http/api.ts'
import { requireUser } from '../require-user.ts'
import type { User } from '../user.ts'
import { userPrefix } from './user-prefix.ts'

export function registerUserRoutes(api: Api): void {
  api.get('/api/auth/userinfo', { schema: { response: { 200: UserInfo } } }, async (request) =>
    presentUser(requireUser(request)),
  )
}

function presentUser(user: User): UserInfo {
  const { subject, name, email, picture } = user
  return { sub: subject, name, email, picture, userPrefix: userPrefix(user) }
}
