{{- define "yonder.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "yonder.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "yonder.labels" -}}
{{ include "yonder.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "yonder.secret" -}}
{{ .Values.existingSecret | default (include "yonder.name" .) }}
{{- end }}

{{/* "true" when there can be more than one pod. */}}
{{- define "yonder.several" -}}
{{ or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) }}
{{- end }}

{{/* Fails with a message when values are wrong or do not fit together. */}}
{{- define "yonder.check" -}}
{{- with .Values }}
{{- if not (regexMatch "^https?://[^/]+/?$" .publicUrl) }}
{{- fail "Set publicUrl to the address that users open, such as https://chat.example.com, without a path." }}
{{- end }}
{{- if and (eq (include "yonder.several" $) "true") (ne .database "postgres") }}
{{- fail "More than one pod needs PostgreSQL, because SQLite allows one process. Set database to postgres, or replicas to 1 without autoscaling." }}
{{- end }}
{{- if and (eq .database "postgres") (not .existingSecret) }}
{{- if not (and (hasKey .secret "DATABASE_URL") (hasKey .secret "SECRET_KEY")) }}
{{- fail "With PostgreSQL, set secret.DATABASE_URL and secret.SECRET_KEY, or existingSecret to a Secret that has both." }}
{{- end }}
{{- end }}
{{- if and (ne .database "postgres") (hasKey .secret "DATABASE_URL") }}
{{- fail "secret.DATABASE_URL is set, so set database to postgres." }}
{{- end }}
{{- if and .serviceMonitor.enabled (not .existingSecret) (not (hasKey .secret "METRICS_TOKEN")) }}
{{- fail "The ServiceMonitor needs secret.METRICS_TOKEN, because /metrics is closed to other machines without it." }}
{{- end }}
{{- range $name := list "PORT" "HOST" "PUBLIC_URL" "DATA_DIR" "DATABASE_URL" "SECRET_KEY" "METRICS_TOKEN" }}
{{- if hasKey $.Values.settings $name }}
{{- fail (printf "settings.%s is set by the chart, or belongs under secret." $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
