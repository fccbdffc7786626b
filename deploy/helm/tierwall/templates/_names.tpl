{{- /* Written by `npm run generate`: change the source it comes from, not this file. */ -}}
{{- define "tierwall.name" -}}
{{ .Values.nameOverride | default "tierwall" }}
{{- end -}}
{{- define "tierwall.fullname" -}}
{{ .Values.fullnameOverride | default (include "tierwall.name" .) }}
{{- end -}}
